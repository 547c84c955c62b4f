package experiment
import ("testing";"fmt";"hearsay/privacy")
func TestTmp(t *testing.T){
 for _, c := range []struct{g string; u,v,steps,cap int; sigma float64; rel string}{
  {"complete:5",2,4,60,8,1,"none"},{"complete:5",2,4,60,8,2,"none"},{"ring:6",1,3,60,8,1,"none"},{"hypercube:3",0,7,60,8,1,"none"},{"complete:2",0,1,40,10,2,"none"},{"complete:2",0,1,100,50,4,"none"},{"ring:3",0,1,40,10,2,"none"},{"ring:3",0,1,40,10,2,"final"}} {
  s := auditSetup(t, fmt.Sprintf(audited, c.g, c.steps, c.cap, "uniform", c.sigma, 1e-6, c.rel))
  a := audit(t, s, c.u, c.v, 5000)
  law,_ := s.pathWalk().Law(c.u,c.v)
  rev,_ := s.pathWalk().AuditLaw(c.u,c.v)
  rm:=0.0
  if rev!=nil { rm=rev.Mean() }
  fmt.Printf("%v audit %.3f mu %.3f path %.3f (mu %.3f) mean energy path %.3f linear %.3f\n", c, a.Audit.Loss, a.Audit.Mu, a.Bounds[0].Loss, privacy.MuGaussian(float64(a.Bounds[0].Loss),1e-6), law.Mean(), rm)
 }
}
