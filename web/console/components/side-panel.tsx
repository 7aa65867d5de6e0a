import { Drawer } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { t } from '../text.ts';
import classes from './side-panel.module.css';
import { UnsavedParts, useUnsaved } from './unsaved.tsx';

/**
 * A panel beside the page. When it closes, the focus returns to the element that opened it. If the panel or one of its
 * parts (`useDirty`) has unsaved input, closing requires confirmation.
 */
export function SidePanel({
  title,
  onClose,
  children,
  wide = false,
  isDirty = false,
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Whether closing the panel would discard input. */
  isDirty?: boolean;
}) {
  const [dirtyParts, setDirtyParts] = useState(0);
  const report = useCallback((more: 1 | -1) => setDirtyParts((parts) => parts + more), []);
  const { close, question } = useUnsaved(isDirty || dirtyParts > 0, onClose);
  return (
    <Drawer.Root
      opened
      onClose={() => {
        if (!isCovered()) close();
      }}
      position="right"
      size={wide ? '44rem' : '32rem'}
      transitionProps={{ duration: 120 }}
      lockScroll={false}
      // The class names are set for each part, because a class name for the content would also apply to its container.
      classNames={{
        content: classes.content,
        header: classes.header,
        title: classes.title,
        body: classes.body,
      }}
    >
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content>
        {/* The page already has a banner landmark, so the header must not be another one. */}
        <Drawer.Header role="none">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label={t('panel.close')} />
        </Drawer.Header>
        <Drawer.Body>
          <UnsavedParts value={report}>{children}</UnsavedParts>
          {question}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** Whether a dialog is open above the panel. In that case, Escape closes only the dialog. */
const isCovered = (): boolean => document.querySelectorAll('[role=dialog][aria-modal=true]').length > 1;
