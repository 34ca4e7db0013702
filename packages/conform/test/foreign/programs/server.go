// JSON-RPC 2.0 over HTTP in Go, by its standard library alone.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
)

type request struct {
	Version string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id"`
	Method  string           `json:"method"`
	Params  json.RawMessage  `json:"params"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type response struct {
	Version string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id"`
	Result  any              `json:"result,omitempty"`
	Error   *failure         `json:"error,omitempty"`
}

func perform(method string, params json.RawMessage) (any, *failure) {
	if method != "add" {
		return nil, &failure{-32601, "Method not found"}
	}
	var numbers []float64
	if err := json.Unmarshal(params, &numbers); err != nil {
		return nil, &failure{-32602, "Invalid params"}
	}
	sum := 0.0
	for _, number := range numbers {
		sum += number
	}
	return sum, nil
}

func answer(text []byte) *response {
	var asked request
	if err := json.Unmarshal(text, &asked); err != nil {
		if json.Valid(text) {
			return &response{Version: "2.0", Error: &failure{-32600, "Invalid Request"}}
		}
		return &response{Version: "2.0", Error: &failure{-32700, "Parse error"}}
	}
	if asked.Version != "2.0" || asked.Method == "" {
		return &response{Version: "2.0", ID: asked.ID, Error: &failure{-32600, "Invalid Request"}}
	}
	result, failed := perform(asked.Method, asked.Params)
	if asked.ID == nil {
		return nil
	}
	return &response{Version: "2.0", ID: asked.ID, Result: result, Error: failed}
}

func handle(writer http.ResponseWriter, asked *http.Request) {
	text, _ := io.ReadAll(asked.Body)
	var batch []json.RawMessage
	var reply any
	if json.Unmarshal(text, &batch) == nil && len(batch) > 0 {
		var answers []*response
		for _, one := range batch {
			if given := answer(one); given != nil {
				answers = append(answers, given)
			}
		}
		if answers != nil {
			reply = answers
		}
	} else if given := answer(text); given != nil {
		reply = given
	}
	if reply == nil {
		writer.WriteHeader(http.StatusNoContent)
		return
	}
	writer.Header().Set("Content-Type", "application/json")
	json.NewEncoder(writer).Encode(reply)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	http.Serve(listener, http.HandlerFunc(handle))
}
