/** An area where files can be dropped. */
import { type DragEvent, type ReactNode, useState } from 'react';
import classes from './folder-view.module.css';

export function DropZone({
  label,
  canDrop,
  onFiles,
  children,
}: {
  label: string;
  canDrop: boolean;
  onFiles: (files: Iterable<File>) => void;
  children: ReactNode;
}) {
  const [isOver, setOver] = useState(false);

  function dragOver(event: DragEvent): void {
    if (!canDrop || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    if (canDrop) onFiles(event.dataTransfer.files);
  }

  return (
    <section
      className={classes.drop}
      aria-label={label}
      data-over={isOver || undefined}
      onDragOver={dragOver}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </section>
  );
}
