/** The command palette, which is loaded when it is first opened. */
import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { takeTyped } from '../components/keyboard/typed-ahead.ts';
import type { ActionTools } from './palette/actions.tsx';
import { ConfirmAction, type ConfirmedAction } from './palette/confirm-action.tsx';
import { DocPanel } from './palette/doc-panel.tsx';
import type { DocSection } from './palette/doc-sections.ts';
import { SearchDialog } from './palette/search-dialog.tsx';
import type { SearchTarget } from './palette/types.ts';
import { focusContent } from './use-page-focus.ts';

export default function Palette({ opens, onShortcuts }: { opens: number; onShortcuts: () => void }) {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const [isOpen, setOpen] = useState(false);
  const [confirming, setConfirming] = useState<ConfirmedAction>();
  const [doc, setDoc] = useState<DocSection>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request opens the palette again
  useEffect(() => {
    // If the palette is already open, it receives the key presses.
    if (isOpen) takeTyped();
    setOpen(true);
  }, [opens]);
  const tools = useMemo((): ActionTools => {
    return {
      // The server and the list of recent results provide routes as text, and the router validates these routes.
      open: (target: SearchTarget) => void navigate(target as never).then(() => focusContent(true)),
      setScheme: setColorScheme,
      confirm: setConfirming,
      showShortcuts: onShortcuts,
    };
  }, [navigate, setColorScheme, onShortcuts]);
  const close = useCallback(() => setOpen(false), []);
  return (
    <>
      {isOpen ? <SearchDialog tools={tools} onDoc={setDoc} onClose={close} /> : null}
      {confirming === undefined ? null : (
        <ConfirmAction action={confirming} open={tools.open} onClose={() => setConfirming(undefined)} />
      )}
      {doc === undefined ? null : <DocPanel section={doc} onClose={() => setDoc(undefined)} />}
    </>
  );
}
