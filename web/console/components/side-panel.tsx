import { Drawer } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { t } from '../text.ts';
import classes from './side-panel.module.css';
import { UnsavedParts, useUnsaved } from './unsaved.tsx';

/**
 * What is open beside the page. Closing gives the focus back to where it came from, and asks first where it or a
 * part of it (`useDirty`) holds something that was entered.
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
  /** Something was entered that closing would lose. */
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
      // Not each part's className: the content's would also style the box around it.
      classNames={{
        content: classes.content,
        header: classes.header,
        title: classes.title,
        body: classes.body,
      }}
    >
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content>
        {/* Beside the page's own it would be a second banner. */}
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

/** A dialog lies over the panel: Escape is for the dialog alone, though both hear it. */
const isCovered = (): boolean => document.querySelectorAll('[role=dialog][aria-modal=true]').length > 1;
