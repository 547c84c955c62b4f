// Package admm is private consensus ADMM (002 section 8.4, Algorithms 8.2 to 8.4),
//
//	minimise mean of f_i(x_i) + r(z)  so that all x_i = z,
//
// f_i the mean of node i's losses, each clipped, and the L2 penalty. Node i keeps its
// variable u_i secret; all nodes begin with the same. With zhat the mean of all u_i,
//
//	z    = prox_{gamma r}(zhat)
//	x    = prox_{gamma f_i}(2 z - u_i)
//	u_i <- u_i + 2 lambda (x - z + eta/2).
//
// The state from turn to turn is zhat, not z: Algorithms 8.3 and 8.4 print
// z_k where zhat_k must stand unless r = 0 (docs/PAPERS.md).
package admm
