/**
 * Shows the HTML and the text of an email. The HTML is in a sandboxed frame that can't run scripts or load resources.
 */
import { useState } from 'react';
import { t } from '../text.ts';
import { CodeBlock } from './json-block.tsx';
import classes from './mail-body.module.css';

export function MailBody({
  subject,
  text,
  htmlUrl,
}: {
  subject: string;
  text: string;
  /** Null if the email has only text. */
  htmlUrl: string | null;
}) {
  const [wanted, setWanted] = useState<'html' | 'text'>('html');
  const shows = htmlUrl === null ? 'text' : wanted;
  return (
    <>
      {htmlUrl === null ? null : (
        <fieldset className={classes.switch} aria-label={t('inbox.show-as')}>
          {(['html', 'text'] as const).map((each) => (
            <button
              key={each}
              type="button"
              className={classes.choice}
              aria-pressed={shows === each}
              onClick={() => setWanted(each)}
            >
              {t(each === 'html' ? 'inbox.html' : 'inbox.text')}
            </button>
          ))}
        </fieldset>
      )}
      {shows === 'html' && htmlUrl !== null ? (
        <iframe
          // The key creates a new frame for each address, because a new address in the same frame would add an entry to
          // the browser's history.
          key={htmlUrl}
          className={classes.frame}
          title={t('inbox.preview', { subject })}
          src={htmlUrl}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
        />
      ) : (
        <CodeBlock text={text} what={t('inbox.text')} />
      )}
    </>
  );
}
