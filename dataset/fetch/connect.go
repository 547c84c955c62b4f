package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"os"
	"syscall"
	"time"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
)

// connect opens one connection and appends the bytes received to part. nil means
// that part has its full length.
func (f *Fetcher) connect(ctx context.Context, url, part string, want dataset.KnownFile) (err error) {
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return writeError(part, want, err)
	}
	defer func() {
		if closing := file.Close(); err == nil && closing != nil {
			err = writeError(part, want, closing)
		}
	}()
	have := size(part)
	if have == want.Bytes {
		return nil
	}
	if have > want.Bytes {
		have = 0
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(f.Idle, func() { cancel(fmt.Errorf("the server was silent for %v", f.Idle)) })
	defer idle.Stop()
	response, err := f.request(ctx, url, have)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if have, err = begin(file, response, have, want); err != nil {
		return err
	}
	alive := func(done int64) {
		idle.Reset(f.Idle)
		if f.Progress != nil {
			f.Progress(want.Name, done, want.Bytes)
		}
	}
	err = receive(file, response.Body, have, want, alive)
	if cause := context.Cause(ctx); err != nil && cause != nil && errors.As(err, new(*brokenError)) {
		return &brokenError{cause}
	}
	return err
}

// request asks for the bytes from have on.
func (f *Fetcher) request(ctx context.Context, url string, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil || (request.URL.Scheme != "http" && request.URL.Scheme != "https") {
		return nil, fault.New(fmt.Sprintf("%q is no address to download from", url), "give a URL that starts with http:// or https://")
	}
	request.Header.Set("Accept-Encoding", "identity") // the checksum is of the bytes as published
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := f.Client.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if outer := new(neturl.Error); errors.As(err, &outer) {
			err = outer.Err // without the URL, which the final message has
		}
		return nil, &brokenError{err}
	}
	return response, nil
}

// begin reads the answer's status and puts file where its body belongs: at
// have if the server resumes, at 0 if it starts over.
func begin(file *os.File, response *http.Response, have int64, want dataset.KnownFile) (int64, error) {
	url := response.Request.URL.Redacted()
	switch code := response.StatusCode; {
	case code == http.StatusPartialContent && resumesAt(response, have):
	case code == http.StatusOK:
		have = 0
	case code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable:
		if err := file.Truncate(0); err != nil {
			return 0, writeError(file.Name(), want, err)
		}
		return 0, &brokenError{fmt.Errorf("the server cannot resume at byte %d", have)}
	case code == http.StatusTooManyRequests || code >= 500:
		return 0, &brokenError{fmt.Errorf("the server answers %s", response.Status)}
	default:
		return 0, fault.New(fmt.Sprintf("%s: the server answers %s", url, response.Status), "give another address with --url, or a mirror in HEARSAY_MIRROR")
	}
	if n := response.ContentLength; n >= 0 && have+n != want.Bytes {
		return 0, fault.New(fmt.Sprintf("%s has %d bytes, but %s has %d", url, have+n, want.Name, want.Bytes),
			"the file at this address has changed or is another one: give another address with --url")
	}
	if err := file.Truncate(have); err != nil {
		return 0, writeError(file.Name(), want, err)
	}
	if _, err := file.Seek(have, io.SeekStart); err != nil {
		return 0, writeError(file.Name(), want, err)
	}
	return have, nil
}

// resumesAt reports whether a partial answer starts where it was asked to.
func resumesAt(response *http.Response, have int64) bool {
	var first int64
	_, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-", &first)
	return err == nil && first == have
}

// receive copies the body to file, from byte done on, and calls alive with
// the new length after every piece.
func receive(file *os.File, body io.Reader, done int64, want dataset.KnownFile, alive func(done int64)) error {
	buffer := make([]byte, 1<<16)
	for {
		n, err := body.Read(buffer)
		if done += int64(n); done > want.Bytes {
			return tooLong(file, want)
		}
		if _, err := file.Write(buffer[:n]); err != nil {
			return writeError(file.Name(), want, err)
		}
		alive(done)
		if errors.Is(err, io.EOF) && done == want.Bytes {
			return nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return &brokenError{errors.New("the connection was cut")}
		}
		if err != nil {
			return &brokenError{err}
		}
	}
}

// tooLong throws away a body that cannot be the wanted file.
func tooLong(file *os.File, want dataset.KnownFile) error {
	if err := file.Truncate(0); err != nil {
		return writeError(file.Name(), want, err)
	}
	return fault.New(fmt.Sprintf("the server sends more than the %d bytes of %s", want.Bytes, want.Name),
		"the file at this address has changed or is another one: give another address with --url")
}

// writeError explains why a file could not be written.
func writeError(path string, want dataset.KnownFile, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.New(fmt.Sprintf("no space left on the disk for %s", path),
			fmt.Sprintf("free %d bytes or choose another folder with --dir, then run the same command again", want.Bytes))
	}
	return fault.Wrap(err, "cannot write "+path, "choose another folder with --dir")
}
