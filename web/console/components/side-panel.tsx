import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../text.ts';
import classes from './side-panel.module.css';

/** What is open beside the page. Closing gives the focus back to where it came from. */
export function SidePanel({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  return (
    <Drawer.Root
      opened
      onClose={() => {
        if (!isCovered()) onClose();
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
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** A dialog lies over the panel: Escape is for the dialog alone, though both hear it. */
const isCovered = (): boolean => document.querySelectorAll('[role=dialog][aria-modal=true]').length > 1;
