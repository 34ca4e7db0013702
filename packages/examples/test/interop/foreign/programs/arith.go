// JSON-RPC 1.0 as Go's standard library speaks it: `arith serve` prints its port, `arith call PORT` prints what it got.
package main

import (
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
)

type Args struct{ A, B int }

type Arith int

func (Arith) Multiply(args *Args, reply *int) error {
	*reply = args.A * args.B
	return nil
}

func (Arith) Divide(args *Args, reply *int) error {
	if args.B == 0 {
		return errors.New("divide by zero")
	}
	*reply = args.A / args.B
	return nil
}

func serve() {
	rpc.Register(new(Arith))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go jsonrpc.ServeConn(conn)
	}
}

func call(port string) {
	client, err := jsonrpc.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	var product int
	err = client.Call("Arith.Multiply", &Args{7, 8}, &product)
	fmt.Println(product, err)
	err = client.Call("Arith.Divide", &Args{1, 0}, &product)
	fmt.Println(err != nil)
}

func main() {
	if os.Args[1] == "serve" {
		serve()
	} else {
		call(os.Args[2])
	}
}
