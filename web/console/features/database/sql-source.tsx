/** Shows or edits SQL text with highlighting. */
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { namesQuery } from '../../api/queries.ts';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import classes from './parts.module.css';

const SqlEditor = lazyPart(() => import('../../components/editor/sql-editor.tsx'));

const ignore = (): void => undefined;

/** SQL text that can be read and copied. */
export function SqlSource({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.source}>
      <div className={classes.sourceText}>
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <SqlEditor key={text} value={text} label={label} readOnly onChange={ignore} />
        </Suspense>
      </div>
      <span className={classes.copy}>
        <CopyButton value={text} what={label} />
      </span>
    </div>
  );
}

/** An editor for a definition. `generation` changes when the text is replaced from outside. */
export function SqlField({
  text,
  label,
  generation,
  onChange,
}: {
  text: string;
  label: string;
  generation: number;
  onChange: (text: string) => void;
}) {
  const { data: names } = useQuery(namesQuery);
  return (
    <div className={classes.editor}>
      <Suspense fallback={<SkeletonLines lines={12} />}>
        <SqlEditor key={generation} value={text} label={label} names={names} autoFocus onChange={onChange} />
      </Suspense>
    </div>
  );
}
