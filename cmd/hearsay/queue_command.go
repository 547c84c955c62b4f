package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/sweeps"
)

func registerServer(cmd *cobra.Command, f *sweeps.ServerQuestion) {
	cmd.Flags().StringVar(&f.URL, "nats", "", "NATS server with JetStream, such as nats://10.0.0.1:4222 or tls://...; several of a cluster with commas")
	cmd.Flags().StringVar(&f.Creds, "nats-creds", "", "file with the credentials of a NATS user")
	cmd.Flags().StringVar(&f.Secret, "nats-secret", "", "file with a token, or with user:password")
	cmd.Flags().StringVar(&f.CA, "nats-ca", "", "file with the certificates that vouch for the servers")
	cmd.Flags().StringVar(&f.Cert, "nats-cert", "", "file with a certificate: of this side, and of a server that --queue starts")
	cmd.Flags().StringVar(&f.Key, "nats-key", "", "file with the key of the certificate")
}

func registerQueue(cmd *cobra.Command, f *sweeps.QueueQuestion) {
	cmd.Flags().BoolVar(&f.On, "queue", false, "give work out to processes, also on other machines (hearsay worker), by a queue that this command keeps")
	cmd.Flags().StringVar(&f.Listen, "listen", "", "host:port of that queue (default: a free port that only this machine reaches)")
	registerServer(cmd, &f.ServerQuestion)
	cmd.Flags().DurationVar(&f.Lease, "lease", 30*time.Second, "time without a sign of life after which a worker loses its work to another one")
	cmd.Flags().IntVar(&f.Replicas, "nats-replicas", 0, "servers of the --nats cluster that keep everything (default 3 of a cluster, 1 of a single server)")
}
