// Reads JSON texts, one a line, as Go's encoding/json does, and says what it sees of the envelope of each message.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

type message struct {
	Id     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

type seen struct {
	Kind   string  `json:"kind"`
	Id     any     `json:"id"`
	Method []int32 `json:"method"`
}

func of(m message) seen {
	s := seen{Kind: "response", Method: []int32{}}
	if m.Method != nil && m.Result == nil && m.Error == nil {
		s.Kind = "notification"
		if m.Id != nil {
			s.Kind = "request"
		}
	}
	if m.Method != nil {
		s.Method = append(s.Method, []rune(*m.Method)...)
	}
	if m.Id != nil {
		json.Unmarshal(m.Id, &s.Id)
	}
	return s
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var all []message
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
			err = json.Unmarshal(line, &all)
		} else {
			var one message
			err = json.Unmarshal(line, &one)
			all = []message{one}
		}
		told := []seen{}
		for _, m := range all {
			told = append(told, of(m))
		}
		text, _ := json.Marshal(told)
		if err != nil {
			text, _ = json.Marshal(err.Error())
		}
		fmt.Fprintf(out, "%s\n", text)
	}
}
