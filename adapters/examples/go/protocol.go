package main

import "encoding/json"

// The records of Plumbline's protocol that this system understands (docs/protocol.md#records).

type site struct {
	Number  int      `json:"number"`
	Members []string `json:"members"`
}

type regionAttributes struct {
	Name       string       `json:"name"`
	Policy     string       `json:"policy"`
	Policies   []hostPolicy `json:"policies"`
	Scope      string       `json:"scope"`
	Checks     *bool        `json:"checks"`
	Senders    []string     `json:"senders"`
	Queues     []string     `json:"queues"`
	Redundancy int          `json:"redundancy"`
}

type hostPolicy struct {
	Member string `json:"member"`
	Policy string `json:"policy"`
}

type bulkEntry struct {
	OpID  int64  `json:"op_id"`
	Key   string `json:"key"`
	Token string `json:"token"`
}

type operation struct {
	OpID       int64       `json:"op_id"`
	Thread     string      `json:"thread"`
	Member     string      `json:"member"`
	Region     string      `json:"region"`
	Kind       string      `json:"kind"`
	Key        string      `json:"key"`
	Token      *string     `json:"token"`
	Entries    []bulkEntry `json:"entries"`
	Expected   *string     `json:"expected"`
	ValueBytes int         `json:"value_bytes"`
}

func (o operation) token() string {
	if o.Token == nil {
		return ""
	}
	return *o.Token
}

// value is what is put: the token, followed by dots where it has to be long.
func (o operation) value() string {
	value := []byte(o.token())
	for len(value) < o.ValueBytes {
		value = append(value, '.')
	}
	return string(value)
}

type queueAttributes struct {
	ID                string   `json:"id"`
	Site              int      `json:"site"`
	RemoteSite        *int     `json:"remote_site"`
	Parallel          bool     `json:"parallel"`
	Dispatchers       int      `json:"dispatchers"`
	OrderPolicy       string   `json:"order_policy"`
	BatchSize         int      `json:"batch_size"`
	BatchIntervalMs   int64    `json:"batch_interval_ms"`
	Conflate          bool     `json:"conflate"`
	Persistent        bool     `json:"persistent"`
	MaximumMemoryMb   int      `json:"maximum_memory_mb"`
	RemoveOnException *bool    `json:"remove_on_exception"`
	Members           []string `json:"members"`
	ManualStart       bool     `json:"manual_start"`
}

type queueCall struct {
	Member string         `json:"member"`
	Queue  string         `json:"queue"`
	Events []queuedChange `json:"events"`
	Answer string         `json:"answer"`
}

type queuedChange struct {
	Region string  `json:"region"`
	Key    string  `json:"key"`
	Kind   string  `json:"kind"`
	Token  *string `json:"token"`
}

type logLine struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

type outcome struct {
	Status string  `json:"status"`
	Value  *string `json:"value"`
	Detail string  `json:"detail"`
}

type event struct {
	Member string  `json:"member"`
	Region string  `json:"region"`
	Key    string  `json:"key"`
	Kind   string  `json:"kind"`
	Token  *string `json:"token"`
	Remote bool    `json:"remote"`

	Conflict *conflict `json:"conflict,omitempty"`
}

type conflict struct {
	Kind         string  `json:"kind"`
	Old          *string `json:"old"`
	Site         int     `json:"site"`
	StoredSite   int     `json:"stored_site"`
	TimeMs       int64   `json:"time_ms"`
	StoredTimeMs int64   `json:"stored_time_ms"`
	Answer       string  `json:"answer"`
}

type gate struct {
	Member   string `json:"member"`
	OpID     int64  `json:"op_id"`
	Callback string `json:"callback"`
}

type content struct {
	Key   string  `json:"key"`
	Token *string `json:"token"`
}

type tombstoneSettings struct {
	TimeoutMs      *int64           `json:"timeout_ms"`
	OtherTimeoutMs *int64           `json:"other_timeout_ms"`
	Threshold      *int             `json:"threshold"`
	Thresholds     [][2]interface{} `json:"thresholds"`
	own            map[string]int
}

// params are the fields of all requests. A request that names a field that its method does not have is refused.
type params struct {
	Protocol int `json:"protocol"`
	Topology struct {
		Sites []site `json:"sites"`
	} `json:"topology"`
	Regions      []regionAttributes `json:"regions"`
	Operation    operation          `json:"operation"`
	OpID         int64              `json:"op_id"`
	TimeoutMs    int64              `json:"timeout_ms"`
	Since        int                `json:"since"`
	Member       string             `json:"member"`
	Region       string             `json:"region"`
	Key          string             `json:"key"`
	Gate         gate               `json:"gate"`
	Name         string             `json:"name"`
	Settings     tombstoneSettings  `json:"settings"`
	Checks       bool               `json:"checks"`
	Persistent   bool               `json:"persistent"`
	FromDisk     bool               `json:"from_disk"`
	Milliseconds int64              `json:"milliseconds"`
	Site         int                `json:"site"`
	OffsetMs     int64              `json:"offset_ms"`
	Frozen       bool               `json:"frozen"`
	Callback     string             `json:"callback"`
	Answers      []string           `json:"answers"`
	Queue        json.RawMessage    `json:"queue"`
	Action       string             `json:"action"`
	Source       string             `json:"source"`
	Target       string             `json:"target"`
	State        string             `json:"state"`
	Client       json.RawMessage    `json:"client"`
	Interest     interest           `json:"interest"`
	Number       int64              `json:"number"`
	Held         bool               `json:"held"`
	Keepalive    bool               `json:"keepalive"`
}

// fields are the parameters of each method.
var fields = map[string]string{
	"hello": "protocol", "deploy": "topology", "reset": "regions", "begin": "operation",
	"finish": "op_id timeout_ms", "observe": "since", "settle": "timeout_ms", "contents": "member region",
	"views": "member region", "queries": "member region", "close": "", "arm": "gate",
	"await_parked": "gate timeout_ms", "release": "gate", "statistic": "member name",
	"keep_tombstones": "settings", "attributes": "member region", "leave": "member region",
	"join": "member region", "host": "member region checks persistent", "redeliver": "op_id member",
	"crash": "member", "restart": "member from_disk", "advance": "milliseconds",
	"clock": "site offset_ms frozen", "script": "member region callback answers",
	"link": "source target state", "create_queue": "queue", "queue_action": "member queue action",
	"placement": "region key", "move_primary": "region key member",
	"look_at_queue": "member queue", "server_log": "member", "start_client": "client",
	"client_action": "client action keepalive",
	"interest":      "interest", "begin_interest": "number interest held", "await_answer": "number timeout_ms",
	"release_answer": "number", "finish_interest": "number timeout_ms",
}
