// Command grid is a small distribution system in Go, and an adapter that has Plumbline test it.
//
// It speaks the adapter protocol on standard input and output, or as a service with --listen.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	listen := flag.String("listen", "", "serve on this address, such as 127.0.0.1:7000, a session a connection")
	bug := flag.String("bug", "", "put this mistake in")
	list := flag.Bool("bugs", false, "list the mistakes as JSON, and end")
	flag.Parse()
	if *list {
		told, _ := json.MarshalIndent(bugs, "", "  ")
		fmt.Println(string(told))
		return
	}
	if !known(*bug) {
		fmt.Fprintln(os.Stderr, "no such bug:", *bug)
		os.Exit(2)
	}
	if *listen == "" {
		serve(newSession(*bug), os.Stdin, os.Stdout)
		return
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "listens on", listener.Addr())
	serveConnections(listener, *bug)
}

// serveConnections serves one session after the other. A second one waits for a moment, and is then refused.
func serveConnections(listener net.Listener, bug string) {
	turn := make(chan struct{}, 1)
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			select {
			case turn <- struct{}{}:
				defer func() { <-turn }()
				serve(newSession(bug), conn, conn)
			case <-time.After(5 * time.Second):
				refuse(conn)
			}
		}()
	}
}

// refuse answers the first request with an error.
func refuse(conn net.Conn) {
	line, _ := bufio.NewReader(conn).ReadBytes('\n')
	var asked request
	_ = json.Unmarshal(line, &asked)
	told, _ := json.Marshal(response{
		Version: "2.0", ID: asked.ID, Error: &rpcError{failed, "another suite is connected to this service"},
	})
	_, _ = conn.Write(append(told, '\n'))
}
