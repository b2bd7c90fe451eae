package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const (
	notJSON     = -32700
	notRequest  = -32600
	noMethod    = -32601
	wrongParams = -32602
	failed      = -32603
	unsupported = -32001
	refused     = -32002
)

// rpcError is an error that the protocol knows.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func unsupportedf(format string, args ...interface{}) error {
	return &rpcError{unsupported, fmt.Sprintf(format, args...)}
}

type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  interface{}     `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// lineLimit is the most bytes of one line.
const lineLimit = 8 << 20

// serve answers requests, one a line, until `close` or the end of the input.
func serve(s *session, source io.Reader, sink io.Writer) {
	defer s.close()
	lines := bufio.NewReaderSize(source, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) == 0 && err != nil {
			return
		}
		answer, last := s.answer(line)
		written, _ := json.Marshal(answer)
		if _, err := sink.Write(append(written, '\n')); err != nil || last || len(line) > lineLimit {
			return
		}
	}
}

// answer carries out one request. It says whether the session is over.
func (s *session) answer(line []byte) (r response, last bool) {
	r = response{Version: "2.0", ID: json.RawMessage("null")}
	var asked request
	if err := strictly(line, &asked); err != nil {
		code := notRequest
		if !json.Valid(line) {
			code = notJSON
		}
		r.Error = &rpcError{code, err.Error()}
		return r, false
	}
	if asked.ID != nil {
		r.ID = asked.ID
	}
	defer func() {
		if trouble := recover(); trouble != nil {
			r.Result, r.Error = nil, &rpcError{failed, fmt.Sprint(trouble)}
		}
	}()
	result, err := s.carryOut(asked.Method, asked.Params)
	if told, ok := err.(*rpcError); ok {
		r.Error = told
	} else if err != nil {
		r.Error = &rpcError{failed, err.Error()}
	} else if result == nil {
		r.Result = struct{}{}
	} else {
		r.Result = result
	}
	return r, asked.Method == "close" && err == nil
}

// read makes the parameters of a method. Every field has to be one that the method knows.
func read(method string, raw json.RawMessage) (params, error) {
	var p params
	if len(raw) == 0 {
		return p, nil
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(raw, &named); err != nil {
		return p, &rpcError{wrongParams, err.Error()}
	}
	for name := range named {
		if !strings.Contains(" "+fields[method]+" ", " "+name+" ") {
			return p, &rpcError{wrongParams, "unknown field " + name}
		}
	}
	if err := strictly(raw, &p); err != nil {
		return p, &rpcError{wrongParams, err.Error()}
	}
	return p, nil
}

func strictly(raw []byte, into interface{}) error {
	reading := json.NewDecoder(bytes.NewReader(raw))
	reading.DisallowUnknownFields()
	return reading.Decode(into)
}
