/** Shows the complete value of a cell. If the server truncated the value, the complete value is fetched. */
import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type CellRequest, readCell } from './api.ts';
import { t } from './text.ts';

export type CellContext = Pick<CellRequest, 'as' | 'timeoutMs' | 'parameters'>;

export function CellPanel({
  name,
  shown,
  again,
  onClose,
}: {
  name: string;
  /** The text in the result, which may be truncated. */
  shown: string;
  /** The request for the complete value. Undefined if the received text is complete. */
  again: CellRequest | undefined;
  onClose: () => void;
}) {
  return (
    <SidePanel title={name} wide onClose={onClose}>
      {again === undefined ? (
        <CodeBlock text={shown} what={name} isTall />
      ) : (
        <Reread name={name} shown={shown} request={again} />
      )}
    </SidePanel>
  );
}

function Reread({
  name,
  shown,
  request: { text, as, parameters, timeoutMs, row, column },
}: {
  name: string;
  shown: string;
  request: CellRequest;
}) {
  const mayWrite = useMay('write');
  const body = { text, as, parameters, timeoutMs, row, column };
  const { data, error } = useQuery({
    queryKey: ['sql-cell', body],
    queryFn: () => readCell(body, mayWrite),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (error !== null)
    return (
      <>
        <ProblemBox error={error} />
        <CodeBlock text={shown} what={name} isTall />
      </>
    );
  if (data === undefined) return <SkeletonLines lines={8} />;
  return (
    <>
      {data.value?.startsWith(shown) ? null : (
        <Notice tone="warning">
          <p>{t('sql.cell-other')}</p>
        </Notice>
      )}
      {data.isCut ? (
        <Notice tone="info">
          <p>{t('sql.cell-long')}</p>
        </Notice>
      ) : null}
      <CodeBlock text={data.value ?? ''} what={name} isTall />
    </>
  );
}
