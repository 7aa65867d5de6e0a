/** The GraphiQL editor. Loaded when the page is first opened, because it's larger than the rest of the Console. */
import 'graphiql/graphiql.css';
import { useComputedColorScheme } from '@mantine/core';
import { GraphiQL } from 'graphiql';
import { useEffect, useMemo, useRef } from 'react';
import { completeMarkup } from './accessible-editors.ts';
import { type GraphqlRequest, sendGraphql } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export default function Ide({ as, hasSchema }: { as: string | undefined; hasSchema: boolean }) {
  const scheme = useComputedColorScheme('light');
  const fetcher = useMemo(() => createFetcher(as), [as]);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => (root.current === null ? undefined : completeMarkup(root.current)), []);
  return (
    <div className={classes.ide} ref={root}>
      <GraphiQL
        fetcher={fetcher}
        // Otherwise, the editor would show the error of its introspection as the response.
        {...(hasSchema ? {} : { schema: null })}
        defaultQuery={`# ${t('graphql.complete')}\n# ${t('graphql.run')}\n{\n  __typename\n}\n`}
        forcedTheme={scheme}
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
      >
        <GraphiQL.Logo> </GraphiQL.Logo>
      </GraphiQL>
    </div>
  );
}

const createFetcher =
  (as: string | undefined) =>
  async ({ query, variables, operationName }: FetcherParams): Promise<never> =>
    (await sendGraphql(
      {
        query,
        ...(isRecord(variables) ? { variables } : {}),
        ...(operationName ? { operationName } : {}),
      } satisfies GraphqlRequest,
      as,
    )) as never;

interface FetcherParams {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string | null | undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
