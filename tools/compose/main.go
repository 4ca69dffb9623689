// Compose prints docker-compose.yml as JSON as Docker Compose itself reads it, with anchors, defaults and environment
// resolved. It exits with 1 for a file that Compose would reject. Warnings go to standard error.
//
//	go run . ../../docker-compose.yml
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if err := printProject(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// printProject reads variables from the environment only, not from a user's .env beside the file.
func printProject(files []string) error {
	options, err := cli.NewProjectOptions(files, cli.WithOsEnv, cli.WithConsistency(true), cli.WithInterpolation(true))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	text, err := project.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}
