import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { ErrorSummary } from '../ui/error-summary.tsx';
import { problemOf } from './form/problems.ts';
import { Row } from './parts.tsx';
import { sessionClient } from './session.ts';
import { t } from './text.ts';

/**
 * Shown if the server didn't respond or the response was invalid, so the page can't know whether the user is signed in.
 */
export function SessionFailed({ error }: { error: unknown }) {
  useEffect(() => {
    const again = () => void sessionClient().load();
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, []);
  return (
    <>
      <ErrorSummary problems={[problemOf(error)]} />
      <Row>
        <Button variant="default" onClick={() => void sessionClient().load()}>
          {t('security.again')}
        </Button>
      </Row>
    </>
  );
}
