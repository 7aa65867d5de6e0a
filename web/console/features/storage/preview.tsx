/**
 * Shows previews of files, which are loaded from the API's origin without cookies. Images, audio and video are shown by
 * elements that don't run scripts. Content that can contain scripts (HTML, SVG source, XML) is shown as text. A PDF can
 * contain scripts and links, and browsers don't show PDFs in a sandboxed frame. PDFs are therefore opened in a separate
 * tab that has no access to this tab.
 */
import { Button } from '@mantine/core';
import { IconExternalLink, IconEyeOff } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import type { FileInfo } from './api.ts';
import classes from './preview.module.css';
import { t } from './text.ts';

const textBytes = 64 * 1024;
const textTypes =
  /^(?:text\/|application\/(?:json|javascript|xml|xhtml\+xml|x-yaml|yaml|toml|sql|x-sh)\b|.*\+(?:json|xml)$)/;

export function Preview({ info, name }: { info: FileInfo; name: string }) {
  const type = (info.content_type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type.startsWith('image/'))
    return (
      <div className={classes.stage}>
        <Picture info={info} name={name} />
      </div>
    );
  if (type.startsWith('video/'))
    return (
      // biome-ignore lint/a11y/useMediaCaption: the preview shows the operator's own file, which has no captions
      <video
        src={info.link}
        crossOrigin="anonymous"
        controls
        preload="metadata"
        className={classes.film}
        aria-label={name}
      />
    );
  if (type.startsWith('audio/'))
    return (
      // biome-ignore lint/a11y/useMediaCaption: the preview shows the operator's own file, which has no captions
      <audio
        src={info.link}
        crossOrigin="anonymous"
        controls
        preload="metadata"
        className={classes.sound}
        aria-label={name}
      />
    );
  if (type === 'application/pdf')
    return (
      <div className={classes.stage}>
        <Button
          component="a"
          href={info.link}
          target="_blank"
          rel="noopener noreferrer"
          variant="default"
          leftSection={<IconExternalLink size={16} aria-hidden />}
        >
          {t('file.open-pdf')}
        </Button>
      </div>
    );
  if (textTypes.test(type)) return <TextPreview info={info} name={name} />;
  return (
    <p className={classes.none}>
      <IconEyeOff size={18} aria-hidden />
      {t('file.no-preview', { type: type || name })}
    </p>
  );
}

/** Shows a resized version of an image, or the file itself if the image can't be resized. */
function Picture({ info, name }: { info: FileInfo; name: string }) {
  const [hasNoSmall, setHasNoSmall] = useState(false);
  const source = info.preview_link === null || hasNoSmall ? info.link : info.preview_link;
  return (
    <img
      src={source}
      crossOrigin="anonymous"
      alt={name}
      className={classes.picture}
      onError={() => setHasNoSmall(true)}
    />
  );
}

const textQuery = (link: string) =>
  queryOptions({
    queryKey: ['file-text', link],
    queryFn: async ({ signal }) => {
      const response = await fetch(link, { signal, headers: { range: `bytes=0-${textBytes - 1}` } });
      // The status 416 (Range Not Satisfiable) means that the file is empty.
      if (response.status === 416) return '';
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      return response.text();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

function TextPreview({ info, name }: { info: FileInfo; name: string }) {
  const { data, error } = useQuery(textQuery(info.link));
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={4} />;
  return (
    <div>
      <CodeBlock text={data} what={name} />
      {info.size !== null && info.size > textBytes ? <p className={classes.note}>{t('file.cut')}</p> : null}
    </div>
  );
}
