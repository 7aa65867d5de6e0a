import classes from '../parts.module.css';

/** The appearance of our own sign-in marks, which are shown beside those of providers. */
export const mark = { size: 20, stroke: 1.75, 'aria-hidden': true } as const;

/** A provider's mark: decorative SVG drawn by our own server (`src/account/core/providers.ts`). */
export function Mark({ svg }: { svg: string }) {
  const html = { __html: svg };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own drawing, without third-party content
  return <span className={classes.mark} suppressHydrationWarning dangerouslySetInnerHTML={html} />;
}
