package resident

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// unmapProgram returns the pages of the program's file to the system. Pages that the system does not list, or does not take
// back, stay.
func unmapProgram() {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer file.Close()
	for _, s := range pristine(file, path) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, s.from, s.size, syscall.MADV_DONTNEED)
	}
}

// A span is a range of addresses.
type span struct{ from, size uintptr }

// pristine returns the spans of a process, described as in /proc/PID/smaps, that hold only the contents of a file. They are not
// writable and have no page that differs from the file, because of relocation at the start or a debugger's breakpoint. Such
// pages can be dropped and read again. It returns nil if smaps cannot be read.
func pristine(smaps io.Reader, path string) (all []span) {
	var at span
	of := false // at is of the file
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		if s, writable, file, begins := mapping(lines.Text()); begins {
			at, of = s, file == path && !writable
			continue
		}
		key, value, _ := strings.Cut(lines.Text(), ":")
		if of && key == "Anonymous" && strings.TrimSpace(value) == "0 kB" {
			all = append(all, at)
		}
	}
	if lines.Err() != nil {
		return nil
	}
	return all
}

// mapping reads the first line of a mapping, such as
//
//	00400000-01d1b000 r-xp 00000000 fe:00 6037 /usr/bin/hearsay
//
// and reports whether line is one.
func mapping(line string) (s span, writable bool, file string, ok bool) {
	fields := strings.SplitN(line, " ", 6)
	if len(fields) < 6 || len(fields[1]) != 4 {
		return s, false, "", false
	}
	low, high, _ := strings.Cut(fields[0], "-")
	from, err1 := strconv.ParseUint(low, 16, 64)
	to, err2 := strconv.ParseUint(high, 16, 64)
	if err1 != nil || err2 != nil || to < from {
		return s, false, "", false
	}
	return span{uintptr(from), uintptr(to - from)}, fields[1][1] == 'w', strings.TrimLeft(fields[5], " "), true
}
