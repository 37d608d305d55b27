// The other side of crates/race/src/remote.rs, which says what the requests mean; the loop is that
// of crates/race/src/chain.rs. Reads a request a line, answers a line.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

func ticks() uint64

// ring and fixed are how many values of x the throughput loop has with moving operands, and with
// fixed ones; warm is how many turns run before the clock starts.
const ring, fixed, warm = 16, 4, 2

// short is the length of the longest arrays that are compared.
const short = 7

// longest is the most bytes of a request: 8192 operands.
const longest = 1 << 24

// field is what the loops of a field offer; each field's file makes one.
type field struct {
	// load takes values of x, then those of y.
	load  func(values [][]uint64)
	apply func(op string, x, y []uint64) []uint64
	// run gives the ticks of steps on so many values of x in turns.
	run func(op string, count int, steps uint) (uint64, bool)
}

var fields = map[string]field{}

// chains is how many values of x the throughput loop has, by the last load.
var chains = ring

func parse(text string) []uint64 {
	var limbs []uint64
	for _, limb := range strings.Split(text, ",") {
		value, err := strconv.ParseUint(limb, 16, 64)
		if err != nil {
			fail(err.Error())
		}
		limbs = append(limbs, value)
	}
	return limbs
}

func show(limbs []uint64) string {
	var words []string
	for _, limb := range limbs {
		words = append(words, strconv.FormatUint(limb, 16))
	}
	return strings.Join(words, ",")
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "race: "+message)
	os.Exit(1)
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		fail(err.Error())
	}
	return value
}

// move keeps this thread on a processor, where the system lets it.
func move(processor int) {
	var set [128]byte
	if processor < 8*len(set) {
		set[processor/8] |= 1 << (processor % 8)
		syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, uintptr(len(set)),
			uintptr(unsafe.Pointer(&set[0])))
	}
}

func answer(words []string) string {
	switch words[0] {
	case "move":
		move(number(words[1]))
		return "moved"
	case "load":
		chains = ring
		if words[2] == "fixed" {
			chains = fixed
		}
		var values [][]uint64
		for _, text := range words[3:] {
			values = append(values, parse(text))
		}
		fields[words[1]].load(values)
		return "loaded"
	case "apply":
		return show(fields[words[1]].apply(words[2], parse(words[3]), parse(words[4])))
	case "run":
		count := 1
		if words[3] == "throughput" {
			count = chains
		}
		run, steps := fields[words[1]].run, uint(number(words[4]))
		run(words[2], count, warm*uint(count))
		spent, ok := run(words[2], count, steps)
		if !ok {
			fail("no operation " + words[2])
		}
		return strconv.FormatUint(spent, 10)
	}
	fail("no request " + words[0])
	return ""
}

func main() {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, longest)
	output := bufio.NewWriter(os.Stdout)
	for input.Scan() {
		fmt.Fprintln(output, answer(strings.Fields(input.Text())))
		output.Flush()
	}
}
