// Checks that the clients' histories of a soak are linearizable, with Porcupine.
//
// The model is that of the reference service (aeron_cluster.simulator.clients.reference): a register
// (write, which returns the value before; read; compare and set) and a sequencer, two objects that
// are checked apart, which is the same as together. The queue is left to the comparison with the
// log: timers and the service's own messages push to it at times that no client sees.
//
// Usage: linearizability [-picture FILE] HISTORY... Exit codes: 0 linearizable, 1 not, with the
// offending part on standard output, 2 the histories cannot be read or not be decided.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	write         = 0
	read          = 1
	compareAndSet = 2
	next          = 5
	notify        = 12 // also takes a number of the sequencer

	never       = math.MaxInt64
	partLength  = 500
	partTimeout = 2 * time.Minute
	shownBefore = 4
	shownAfter  = 12
)

type operation struct {
	Request     string `json:"request"`
	SentNs      int64  `json:"sent_ns"`
	AnsweredNs  int64  `json:"answered_ns"`
	Answer      int64  `json:"answer"`
	AnswerCount int    `json:"answer_count"`

	client, number uint32
	verb           uint8
	first, second  int64
	returnNs       int64 // the latest time at which it is applied, never if that is unknown
	isAnswered     bool
	isObserved     bool // it has no answer, but an answer to another one shows that it was applied
}

func (o *operation) String() string {
	text := ""
	switch o.verb {
	case write:
		text = fmt.Sprintf("write %d", o.first)
	case read:
		text = "read"
	case compareAndSet:
		text = fmt.Sprintf("set %d if %d", o.second, o.first)
	default:
		text = "next"
	}
	outcome := "no answer"
	if o.AnsweredNs >= 0 {
		outcome = fmt.Sprintf("answer %d at %.6f s", o.Answer, seconds(o.AnsweredNs))
	}
	return fmt.Sprintf("client %d, request %d: %s; sent at %.6f s, %s",
		o.client, o.number, text, seconds(o.SentNs), outcome)
}

var beginNs int64 = never

func seconds(ns int64) float64 { return float64(ns-beginNs) / 1e9 }

// A part of one object's history, between two times at which its state is known.
type part struct {
	object string
	state  int64 // at the begin
	step   func(state int64, o *operation) (bool, int64)
	// Those that nothing shows to have been applied are `doubtful`; they are left out at first: what
	// is linearizable without them is so with them, since they need not have been applied.
	operations, doubtful []*operation
}

func fail(code int, format string, values ...any) {
	fmt.Printf(format+"\n", values...)
	os.Exit(code)
}

func readHistory(path string) []*operation {
	file, err := os.Open(path)
	if err != nil {
		fail(2, "%v", err)
	}
	defer file.Close()
	var found []*operation
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		o := &operation{}
		if err := json.Unmarshal(lines.Bytes(), o); err != nil {
			fail(2, "%s: %v", path, err)
		}
		data, err := hex.DecodeString(o.Request)
		if err != nil || len(data) < 32 {
			fail(2, "%s: %q is no request", path, o.Request)
		}
		o.Request = ""
		o.client = binary.LittleEndian.Uint32(data)
		o.number = binary.LittleEndian.Uint32(data[4:])
		o.verb = data[8]
		o.first = int64(binary.LittleEndian.Uint64(data[16:]))
		o.second = int64(binary.LittleEndian.Uint64(data[24:]))
		o.isAnswered = o.AnsweredNs >= 0
		o.returnNs = never
		if o.isAnswered {
			o.returnNs = o.AnsweredNs
		}
		if o.AnswerCount > 1 {
			fail(1, "answered %d times: %v", o.AnswerCount, o)
		}
		if o.SentNs < 0 && o.isAnswered {
			fail(1, "answered, but never sent: %v", o)
		}
		if o.SentNs >= 0 {
			beginNs = min(beginNs, o.SentNs)
			found = append(found, o)
		}
	}
	if err := lines.Err(); err != nil {
		fail(2, "%s: %v", path, err)
	}
	return found
}

// written returns the value that an operation writes, if it is applied.
func written(o *operation) int64 {
	if o.verb == write {
		return o.first
	}
	return o.second
}

// seen returns the value of the register that an operation observed just before it was applied.
func seen(o *operation) (int64, bool) {
	switch {
	case o.verb == compareAndSet && (o.isObserved || o.isAnswered && o.Answer == 1):
		return o.first, true
	case o.verb != compareAndSet && o.isAnswered:
		return o.Answer, true
	}
	return 0, false
}

func stepRegister(state int64, o *operation) (bool, int64) {
	switch o.verb {
	case write:
		return !o.isAnswered || o.Answer == state, o.first
	case read:
		return o.Answer == state, state
	}
	if state != o.first {
		return !o.isObserved && o.Answer == 0, state
	}
	return !o.isAnswered || o.Answer == 1, o.second
}

// splitRegister uses that no two writes have the same value: if a value was seen, its write was
// applied, and before the answer that shows it.
func splitRegister(operations []*operation) []*part {
	writes := map[int64]*operation{}
	for _, o := range operations {
		if o.verb == read {
			continue
		}
		if other := writes[written(o)]; other != nil || written(o) == 0 {
			fail(2, "values are not unique: %v; %v", other, o)
		}
		writes[written(o)] = o
	}
	for isChanged := true; isChanged; {
		isChanged = false
		for _, o := range operations {
			value, isKnown := seen(o)
			source := writes[value]
			if !isKnown || source == nil || source.isAnswered {
				continue
			}
			if !source.isObserved || o.returnNs < source.returnNs {
				source.isObserved = true
				source.returnNs = min(source.returnNs, o.returnNs)
				isChanged = true
			}
		}
	}
	var certain, doubtful []*operation
	for _, o := range operations {
		switch {
		case o.isAnswered || o.isObserved:
			certain = append(certain, o)
		case o.verb != read:
			doubtful = append(doubtful, o)
		}
	}
	after := func(o *operation) (int64, bool) {
		switch {
		case !o.isAnswered || o.verb == compareAndSet && o.Answer == 0:
			return 0, false
		case o.verb == read:
			return o.Answer, true
		}
		return written(o), true
	}
	return split("register", certain, doubtful, stepRegister, after)
}

func stepSequencer(state int64, o *operation) (bool, int64) {
	return o.Answer == state+1, state + 1
}

// splitSequencer gives the numbers that no answer has to requests without an answer, in order: if
// there is a way to do so, this is one.
func splitSequencer(operations []*operation) []*part {
	var certain, without []*operation
	answered := map[int64]bool{}
	for _, o := range operations {
		if o.isAnswered {
			certain = append(certain, o)
			answered[o.Answer] = true
		} else {
			without = append(without, o)
		}
	}
	sort.Slice(certain, func(i, j int) bool { return certain[i].Answer < certain[j].Answer })
	sort.SliceStable(without, func(i, j int) bool { return without[i].SentNs < without[j].SentNs })
	last := int64(0)
	if len(certain) > 0 {
		last = certain[len(certain)-1].Answer
	}
	var given []*operation
	for number := int64(1); number < last && len(without) > len(given); number++ {
		if !answered[number] {
			o := without[len(given)]
			o.Answer, o.isObserved = number, true
			given = append(given, o)
		}
	}
	certain = append(certain, given...)
	sort.SliceStable(certain, func(i, j int) bool { return certain[i].Answer < certain[j].Answer })
	earliest := int64(never)
	for i := len(certain) - 1; i >= 0; i-- {
		if certain[i].isObserved {
			certain[i].returnNs = earliest
		}
		earliest = min(earliest, certain[i].returnNs)
	}
	after := func(o *operation) (int64, bool) { return o.Answer, o.isAnswered }
	return split("sequencer", certain, nil, stepSequencer, after)
}

// min and max are built in only since Go 1.21; Debian 12 has 1.19.
func min(one, other int64) int64 {
	if one < other {
		return one
	}
	return other
}

func max(one, other int64) int64 {
	if one > other {
		return one
	}
	return other
}

// split cuts a history where one operation was alone and its answer shows the state.
func split(object string, certain, doubtful []*operation,
	step func(int64, *operation) (bool, int64), after func(*operation) (int64, bool)) []*part {
	bySending := func(list []*operation) {
		sort.SliceStable(list, func(i, j int) bool { return list[i].SentNs < list[j].SentNs })
	}
	bySending(certain)
	bySending(doubtful)
	current := &part{object: object, step: step}
	parts := []*part{current}
	latest := int64(math.MinInt64) // at which one before is applied
	for i, o := range certain {
		current.operations = append(current.operations, o)
		isAlone := latest < o.SentNs && (i+1 == len(certain) || o.returnNs < certain[i+1].SentNs)
		latest = max(latest, o.returnNs)
		state, isKnown := after(o)
		if isAlone && isKnown && len(current.operations) >= partLength && i+1 < len(certain) {
			current = &part{object: object, step: step, state: state}
			parts = append(parts, current)
		}
	}
	for _, each := range parts {
		if n := len(each.operations); n > 0 {
			end := each.operations[n-1].SentNs
			for _, o := range each.operations {
				if o.returnNs != never {
					end = max(end, o.returnNs)
				}
			}
			for _, o := range doubtful {
				if o.SentNs <= end {
					each.doubtful = append(each.doubtful, o)
				}
			}
		}
	}
	return parts
}

func (p *part) check(operations []*operation) (porcupine.CheckResult, porcupine.Model, porcupine.LinearizationInfo) {
	model := porcupine.Model{
		Init: func() any { return p.state },
		Step: func(state, input, _ any) (bool, any) {
			isLegal, after := p.step(state.(int64), input.(*operation))
			return isLegal, after
		},
		DescribeOperation: func(input, _ any) string { return input.(*operation).String() },
		DescribeState:     func(state any) string { return fmt.Sprint(state) },
	}
	var history []porcupine.Operation
	for _, o := range operations {
		history = append(history, porcupine.Operation{
			ClientId: int(o.client), Input: o, Call: o.SentNs, Return: o.returnNs})
	}
	result, info := porcupine.CheckOperationsVerbose(model, history, partTimeout)
	return result, model, info
}

// explain returns the operations around the first one that the longest order found has no place for.
func (p *part) explain(info porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, each := range info.PartialLinearizationsOperations()[0] {
		if len(each) > len(longest) {
			longest = each
		}
	}
	placed := map[*operation]bool{}
	state := p.state
	for _, each := range longest {
		o := each.Input.(*operation)
		placed[o] = true
		_, state = p.step(state, o)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "the %s is not linearizable: the longest order that is right ends with\n", p.object)
	for _, each := range longest[max(0, int64(len(longest)-shownBefore)):] {
		fmt.Fprintf(&text, "  %v\n", each.Input)
	}
	fmt.Fprintf(&text, "and leaves %d; none of these can follow:\n", state)
	shown := 0
	for _, o := range p.operations {
		if !placed[o] && shown < shownAfter {
			fmt.Fprintf(&text, "  %v\n", o)
			shown++
		}
	}
	return text.String()
}

func main() {
	picture := flag.String("picture", "", "file for Porcupine's picture of a part that is wrong")
	flag.Parse()
	if flag.NArg() == 0 {
		fail(2, "no history given")
	}
	var register, sequencer []*operation
	for _, path := range flag.Args() {
		for _, o := range readHistory(path) {
			switch o.verb {
			case write, read, compareAndSet:
				register = append(register, o)
			case next, notify:
				sequencer = append(sequencer, o)
			}
		}
	}
	parts := append(splitRegister(register), splitSequencer(sequencer)...)
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	var output sync.Mutex
	code := 0
	for _, each := range parts {
		wait.Add(1)
		slots <- struct{}{}
		go func(each *part) {
			defer func() { <-slots; wait.Done() }()
			result, model, info := each.check(each.operations)
			if result == porcupine.Illegal && len(each.doubtful) > 0 {
				all := append(append([]*operation{}, each.operations...), each.doubtful...)
				result, model, info = each.check(all)
			}
			output.Lock()
			defer output.Unlock()
			switch {
			case result == porcupine.Illegal && code != 1:
				code = 1
				fmt.Print(each.explain(info))
				if *picture != "" {
					if err := porcupine.VisualizePath(model, info, *picture); err != nil {
						fmt.Println(err)
					}
				}
			case result == porcupine.Unknown && code == 0:
				code = 2
				fmt.Printf("not decided in %v: %d operations of the %s\n",
					partTimeout, len(each.operations), each.object)
			}
		}(each)
	}
	wait.Wait()
	if code == 0 {
		fmt.Printf("linearizable: %d operations of the register, %d of the sequencer, in %d parts\n",
			len(register), len(sequencer), len(parts))
	}
	os.Exit(code)
}
