import { useEffect, useRef, useState } from 'react';

const settleMs = 250;

/**
 * Returns the state of a text field whose value is written to the URL when the user stops typing. If the URL changes
 * for another reason, such as the Back button, the field is updated.
 */
export function useDebounced(value: string, write: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const latest = useRef(write);
  latest.current = write;
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), settleMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return [text, setText];
}
