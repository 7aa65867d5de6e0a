import { Drawer } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { t } from '../../text.ts';
import { useModalLayer } from '../keyboard/modal-layer.ts';
import { submitFromSelect } from '../keyboard/submit-from-select.ts';
import { UnsavedParts, useUnsaved } from '../unsaved.tsx';
import classes from './side-panel.module.css';

/**
 * A panel beside the page. If the panel or one of its parts (`useDirty`) has unsaved input, closing requires
 * confirmation.
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
  const { root, isTop } = useModalLayer();
  const [dirtyParts, setDirtyParts] = useState(0);
  const report = useCallback((more: 1 | -1) => setDirtyParts((parts) => parts + more), []);
  const { close, question } = useUnsaved(isDirty || dirtyParts > 0, onClose);
  return (
    <Drawer.Root
      ref={root}
      opened
      onClose={() => {
        if (isTop()) close();
      }}
      position="right"
      size={wide ? '44rem' : '32rem'}
      transitionProps={{ duration: 120 }}
      lockScroll={false}
      // The class names are set for each part because a class name for the content would also apply to its container.
      classNames={{
        content: classes.content,
        header: classes.header,
        title: classes.title,
        body: classes.body,
      }}
    >
      <Drawer.Overlay />
      <Drawer.Content>
        {/* The page already has a banner landmark, so the header must not be another one. */}
        <Drawer.Header role="none">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label={t('panel.close')} />
        </Drawer.Header>
        <Drawer.Body onKeyDown={submitFromSelect}>
          <UnsavedParts value={report}>{children}</UnsavedParts>
          {question}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
