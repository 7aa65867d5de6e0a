import classes from '../parts.module.css';

/** The appearance of our own sign-in marks, beside those of providers. */
export const mark = { size: 20, stroke: 1.75, 'aria-hidden': true } as const;

/** A provider's mark: decorative SVG that our own server draws (`src/account/core/providers.ts`). */
export function Mark({ svg }: { svg: string }) {
  const html = { __html: svg };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a drawing of our own, with nothing of anybody else in it
  return <span className={classes.mark} suppressHydrationWarning dangerouslySetInnerHTML={html} />;
}
