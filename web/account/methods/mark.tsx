import classes from '../parts.module.css';

/** The common style of Plinth's own sign-in icons, which are shown next to the providers' icons. */
export const mark = { size: 20, stroke: 1.75, 'aria-hidden': true } as const;

/**
 * Shows a provider's icon, which is a decorative SVG image from Plinth's own server
 * (`src/pages/account/core/providers.ts`).
 */
export function Mark({ svg }: { svg: string }) {
  const html = { __html: svg };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own drawing, without third-party content
  return <span className={classes.mark} suppressHydrationWarning dangerouslySetInnerHTML={html} />;
}
