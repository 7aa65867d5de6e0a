import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const settleMs = 250;

/**
 * Returns the state of a text field whose value is written to the URL when the user stops typing. If the URL changes
 * for another reason, such as the Back button, the field is updated. The text isn't written while another page opens,
 * because writing it would navigate back to the field's page. `write` must keep the current values of all other
 * parameters, such as the open row, which may have changed since the user typed.
 */
export function useDebounced(value: string, write: (text: string) => void): [string, (text: string) => void] {
  const router = useRouter();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [written, setWritten] = useState<string>();
  const latest = useRef(write);
  latest.current = write;
  if (known !== value) {
    setKnown(value);
    setWritten(undefined);
    // The user may have continued typing while the URL changed.
    if (value !== written) setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => {
      const { resolvedLocation } = router.state;
      if (resolvedLocation !== undefined && resolvedLocation.pathname !== router.latestLocation.pathname)
        return;
      setWritten(text);
      latest.current(text);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [router, text, value]);
  return [text, setText];
}
