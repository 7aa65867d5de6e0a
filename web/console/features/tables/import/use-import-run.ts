/** Runs an import or a dry run, and follows the progress. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Payload } from '../../../api/route.ts';
import { fetchConsole } from '../../../api/session.ts';

const progressMs = 500;

export type Report = Payload<'POST /tables/:schema/:table/import'>;

/** Runs imports. `send` sends the file with an ID under which the server reports the progress. */
export function useImportRun(
  send: (dry: boolean, id: string) => Promise<Report>,
  onWritten: (report: Report) => void,
) {
  const [id, setId] = useState('');
  const run = useMutation({
    mutationFn: async (dry: boolean) => {
      const next = crypto.randomUUID();
      setId(next);
      return send(dry, next);
    },
    onSuccess: (report) => {
      if (report.written) onWritten(report);
    },
  });
  const { data: progress } = useQuery({
    queryKey: ['import-progress', id],
    queryFn: () => fetchConsole('GET /imports/:id', { params: { id } }),
    enabled: run.isPending && id !== '',
    refetchInterval: progressMs,
  });
  return { run, rows: progress?.rows ?? 0 };
}
