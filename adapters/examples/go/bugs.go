package main

// bug is a mistake that `--bug` puts in, one at a time. All of them are of the kind that real implementations
// make: a check, a lock or an order is forgotten.
type bug struct {
	Name        string `json:"name"`
	Does        string `json:"does"`
	Requirement string `json:"requirement"` // the one that shows it
}

var bugs = []bug{
	{"no-version-check", "a member applies each update that arrives, whatever it has stored", "VER-CMP-02"},
	{"lower-id-wins", "of two updates of one version that of the lower member id stays", "VER-TIE-01"},
	{"forgets-tombstones", "a destroyed entry leaves no tombstone", "TOMB-RETAIN-01"},
	{"version-from-arrival", "a member stores what it receives under a version of its own", "VER-STAMP-03"},
	{"announces-discarded", "the listener receives an update that is discarded", "DISC-LSN-01"},
	{"listener-first", "the listener is called before the entry is stored", "EX-A3C3-01"},
	{"applies-twice", "an update that arrives again is applied again", "VER-DUP-01"},
	{"creates-from-one", "a key that is created again begins with version 1", "TOMB-RETAIN-04"},
	{"clear-without-lock", "a clear does not wait for updates under way", "CLEAR-LOCK-02"},
	{"counts-nothing", "discarded updates are not counted", "STAT-CONFLATED-01"},
	{"collects-alone", "a member that collects tombstones does not tell the others", "TOMB-GC-04"},
	{"peers-compare-versions-alone", "members compare an event of another site with a local update by versions", "WANC-PEER-01"},
	{"receiver-keeps-it", "an event of another site stays with the member that has received it", "WANC-PEER-01"},
	{"earlier-stamp-wins", "of two updates of different sites the earlier one stays", "WANC-TS-01"},
	{"lower-site-wins", "of two updates of one timestamp that of the lower site stays", "WANC-TIE-01"},
	{"secondary-forgets", "a secondary does not remember what the primary has not queued yet", "SER-SECONDARY-01"},
	{"queues-twice-at-takeover", "a new primary queues again what its copy of the queue holds", "SER-FAILOVER-02"},
	{"takeover-drops-queue", "a new primary begins with an empty queue", "SER-FAILOVER-01"},
	{"takeover-drops-records", "a new primary does not queue what it only has a record of", "SER-FAILOVER-01"},
	{"tells-no-removals", "a primary does not tell the secondaries what it has removed", "REM-SERIAL-02"},
	{"trims-secondaries-early", "secondaries drop a batch when it is sent, before it is answered", "GWQ-ACK-01"},
	{"removes-before-answer", "a batch leaves the queue when it is sent", "GWQ-ACK-01"},
	{"unanswered-is-done", "a batch without an answer is not sent again", "GWQ-RETRY-01"},
	{"resends-backwards", "a batch that is sent again has its newest event first", "WAN-ORDER-03"},
	{"failed-call-is-done", "a batch leaves an asynchronous queue though its listener has failed", "AEQ-RETRY-01"},
	{"bare-image", "a new copy of a region receives the entries without their versions", "VER-STAMP-04"},
	{"sends-back", "a client is sent what it has called itself", "C2S-PROP-02"},
	{"client-first", "a client changes its copy before its server has answered", "C2S-PIPE-01"},
	{"runs-again", "a server carries out a second attempt though the first has succeeded", "TRK-HIGH-01"},
	{"waits-for-clients", "a change does not return before its clients have processed it", "TRK-ASYNC-01"},
	{"receives-in-parallel", "a client processes each message in a goroutine of its own", "TRK-SINGLE-01"},
	{"takes-duplicates", "a client processes again what it is sent again", "TRK-DUP-01"},
	{"tracks-members", "a client tells duplicates by their member, not by its thread", "TRK-DUP-02"},
	{"forgets-while-busy", "a client forgets a thread some time after its first event", "TRK-EXPIRE-02"},
	{"registers-behind-load", "a server lists a registration when its answer was applied, not when it was read", "INT-MON-01"},
	{"answer-overwrites", "the answer to a registration replaces what the application has put meanwhile", "RIR-RULE-01"},
	{"answer-revives", "the answer to a registration brings back what was destroyed meanwhile", "RIR-RULE-03"},
	{"late-get-wins", "what a get has read replaces what came while its answer was on its way", "CONS-CL-01"},
	{"registers-at-primary-alone", "secondaries do not learn of a registration", "INT-REG-01"},
	{"promoted-begins-empty", "a secondary that takes over sends new events alone", "FO-HA-01"},
	{"youngest-takes-over", "the secondary takes over that was recruited last", "FO-HA-06"},
	{"tells-no-acknowledgements", "secondaries keep what the client has acknowledged at its primary", "FO-HA-04"},
	{"recruits-without-queue", "a recruited secondary does not take over what waits at the primary", "FO-RED-01"},
	{"recruits-without-interest", "a recruited secondary does not learn what the client has registered for", "FO-RED-01"},
	{"interest-stays-behind", "a client without a secondary loses its interest with its server", "FO-NONHA-09"},
	{"keeps-copy-at-failover", "a client without a secondary keeps its entries when it changes its server", "FO-NONHA-03"},
	{"sends-before-ready", "a server sends to a durable client that has not said that it is ready", "DUR-READY-01"},
	{"marker-first", "the marker is put in front of the stored events", "DUR-REPLAY-06"},
	{"marker-at-primary-alone", "secondaries place no marker", "DUR-REPLAY-02"},
	{"live-at-each-marker", "listeners hear again that their region is live when a marker comes again", "DUR-CRASH-02"},
	{"applies-stored", "a client applies stored events to its copy", "DUR-REPLAY-04"},
	{"stored-events-are-silent", "listeners do not receive stored events", "DUR-REPLAY-05"},
	{"keeps-all-interest", "servers keep interest that is not durable while a client is away", "DUR-DISC-03"},
	{"sent-is-delivered", "what is on its way to a client when it goes is dropped", "DUR-DISC-04"},
	{"drops-queue-at-close", "what waits when a client goes is dropped", "DUR-DISC-04"},
	{"keeps-acknowledged", "a server keeps what a durable client has acknowledged", "DUR-DISC-05"},
	{"leaves-primary-alone", "a client that closes tells its primary alone", "DUR-DISC-06"},
	{"crash-is-a-close", "a server forgets a durable client whose connection breaks", "DUR-CRASH-01"},
	{"never-times-out", "servers keep the queue of an absent client for ever", "DUR-TIMEOUT-01"},
	{"time-runs-on", "the time-out goes on when the client has come back", "DUR-TIMEOUT-02"},
	{"logs-no-time-out", "no server logs that a durable client has timed out", "DUR-TIMEOUT-03"},
	{"first-time-out-counts", "the time-out of a client's first life counts in later ones", "DUR-TIMEOUT-05"},
	{"returns-to-first-server", "a client that comes back does not ask its other servers for its queue", "FO-DUR-01"},
	{"durable-interest-stays-behind", "interest that a client brings to its next server is not durable there", "FO-NONHA-09"},
	{"copy-carries-out", "a member that holds a copy of a key carries out what is called there itself", "CONS-PR-01"},
	{"stays-primary-after-move", "a member goes on as the primary of a bucket that has moved", "CONS-PR-01"},
	{"does-not-wait-for-copies", "the primary gives up the lock of an entry before the copies have the change", "CONS-PR-02"},
	{"one-lock-for-all-keys", "the primary has one lock for all its entries", "CONS-PR-02"},
	{"skips-a-copy", "the second copy of a bucket does not receive changes", "CONS-PR-04"},
	{"moves-without-entries", "a bucket that moves leaves its entries behind", "CONS-PR-04"},
	{"survivors-do-not-agree", "a new primary of a bucket does not compare its copy with the others", "CONS-PR-05"},
	{"carries-out-again", "a new primary carries out a second attempt though the first has succeeded", "CONS-PR-05"},
	{"each-copy-takes-over", "all copies of a lost primary take over, and are primaries side by side", "CONS-PR-05"},
	{"primary-locks-nothing", "the primary does not lock the entry that it changes", "CONS-PR-03"},
	{"tells-of-own-buckets", "clients receive events of the buckets of their server alone", "S2C-OPS-07"},
	{"loads-own-buckets", "a registration brings what lies in the buckets of its server alone", "INT-BULK-02"},
	{"all-hold-queues", "each member keeps the parallel queue of each bucket", "SHQ-TYPE-02"},
	{"copies-dispatch-too", "members dispatch what their copies of a parallel queue hold", "PAR-ACTIVE-01"},
	{"queues-at-primary-first", "an event is in the primary's parallel queue before its copies have it", "PAR-REDUND-01"},
	{"promoted-forgets-queue", "a new primary of a bucket begins with an empty queue", "PAR-FAILOVER-01"},
	{"queue-stays-at-move", "a bucket that moves leaves its queue behind", "PAR-COLOC-01"},
	{"tells-no-bucket-removals", "a primary does not tell the copies of a bucket what has left its queue", "REM-PARALLEL-03"},
	{"removal-empties-bucket", "a copy drops the whole queue of a bucket when one event is removed", "REM-PARALLEL-02"},
	{"copies-drop-when-sent", "copies of a bucket drop a batch when it is sent, before it is answered", "REM-PARALLEL-04"},
}

func known(name string) bool {
	for _, b := range bugs {
		if b.Name == name {
			return true
		}
	}
	return name == ""
}
