// The other side of crates/race/src/remote.rs: reads a request a line, answers a line.
//
//	move CPU                        works on this processor from now on
//	load FIELD X.. Y..              operands: a start for each chain, then values of y;
//	                                limbs of Montgomery forms in hexadecimal
//	apply FIELD OP X Y              the limbs of the result
//	run FIELD OP MODE STEPS         ticks
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

// chains of the throughput loop; values of y.
const chains, operands = 4, 32

// place is where in the table of y the next step looks, by Knuth's MMIX generator.
var place uint64 = 1

func next(place uint64) uint64 {
	return place*6364136223846793005 + 1442695040888963407
}

// field is what the loops of a field offer; each field's file makes one.
type field struct {
	load  func(values [][]uint64)
	apply func(op string, x, y []uint64) []uint64
	run   func(op string, throughput bool, steps uint) (uint64, bool)
}

var fields = map[string]field{}

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
		var values [][]uint64
		for _, text := range words[2:] {
			values = append(values, parse(text))
		}
		fields[words[1]].load(values)
		return "loaded"
	case "apply":
		return show(fields[words[1]].apply(words[2], parse(words[3]), parse(words[4])))
	case "run":
		spent, ok := fields[words[1]].run(words[2], words[3] == "throughput", uint(number(words[4])))
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
	output := bufio.NewWriter(os.Stdout)
	for input.Scan() {
		fmt.Fprintln(output, answer(strings.Fields(input.Text())))
		output.Flush()
	}
}
