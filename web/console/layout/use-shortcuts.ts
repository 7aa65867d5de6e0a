/**
 * Handles the keyboard shortcuts on every page. The shortcuts open the palette, the list of shortcuts or, with "g"
 * followed by a letter, a page.
 */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { areKeysOn } from '../components/keyboard/single-keys.ts';
import { menu } from './menu.ts';

const chordMs = 1200;
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const commandKey = isApple ? '⌘' : 'Ctrl ';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role=grid], [role=dialog]') !== null)
  );
}

export function useShortcuts({
  onPalette,
  onShortcuts,
}: {
  onPalette: () => void;
  onShortcuts: () => void;
}): void {
  const navigate = useNavigate();
  const handle = useRef<(event: KeyboardEvent) => void>(() => undefined);
  const chordAt = useRef(Number.NEGATIVE_INFINITY);
  handle.current = (event) => {
    if (
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      !event.altKey &&
      event.key.toLowerCase() === 'k'
    ) {
      event.preventDefault();
      onPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !areKeysOn()) return;
    if (event.key === '?') {
      event.preventDefault();
      onShortcuts();
      return;
    }
    const page = menu.find(({ key }) => key === event.key);
    if (page !== undefined && event.timeStamp - chordAt.current < chordMs) {
      event.preventDefault();
      void navigate({ to: page.to });
    }
    chordAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
  };
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => handle.current(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
