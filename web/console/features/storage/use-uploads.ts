/**
 * Manages the queue of uploads. Two files are uploaded at a time. Each upload reports its progress and can be retried
 * after a failure.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { messageOf } from '../../components/problem-box.tsx';
import { filesKey, refreshFiles, type UploadLink } from './api.ts';
import { sendFile, UploadFault } from './send-file.ts';
import { t } from './text.ts';

export interface Upload {
  readonly id: number;
  readonly bucket: string;
  readonly path: string;
  readonly file: File;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly sentBytes: number;
  readonly replace: boolean;
  readonly fault?: string;
  /** Whether the bucket already contains a file with this name. */
  readonly exists?: boolean;
  /** The address at which the upload can be resumed. */
  readonly uploadPath?: string;
  readonly link?: UploadLink;
}

const atOnce = 2;

export interface Uploads {
  readonly list: readonly Upload[];
  add(bucket: string, folder: string, files: Iterable<File>): void;
  retry(id: number, replace?: boolean): void;
  /** Retries all failed uploads. If `replace` is set, also retries uploads whose file already exists. */
  retryAll(replace: boolean): void;
  cancel(id: number): void;
  clear(): void;
}

export function useUploads(isResumable: boolean): Uploads {
  const queryClient = useQueryClient();
  const [list, setList] = useState<readonly Upload[]>([]);
  const nextId = useRef(1);
  const running = useRef(new Map<number, AbortController>());

  const change = useCallback((id: number, fields: Partial<Upload>): void => {
    setList((previous) => previous.map((each) => (each.id === id ? { ...each, ...fields } : each)));
  }, []);

  useEffect(() => {
    for (const upload of list) {
      if (running.current.size >= atOnce) return;
      if (upload.state !== 'waiting' || running.current.has(upload.id)) continue;
      const stop = new AbortController();
      running.current.set(upload.id, stop);
      change(upload.id, { state: 'running' });
      void run(upload, isResumable, stop.signal, change).then((outcome) => {
        running.current.delete(upload.id);
        change(upload.id, outcome);
        if (running.current.size === 0) void refreshFiles(queryClient, filesKey(upload.bucket));
        else if (outcome.state === 'done')
          void queryClient.invalidateQueries({ queryKey: filesKey(upload.bucket) });
      });
    }
  }, [list, isResumable, change, queryClient]);

  useEffect(() => {
    const open = running.current;
    return () => {
      for (const stop of open.values()) stop.abort();
    };
  }, []);

  return {
    list,
    add(bucket, folder, files) {
      const added = [...files].map((file) => ({
        id: nextId.current++,
        bucket,
        path: folder + file.name,
        file,
        state: 'waiting' as const,
        sentBytes: 0,
        replace: false,
      }));
      setList((previous) => [...previous, ...added]);
    },
    retry(id, replace = false) {
      setList((previous) =>
        previous.map((each) =>
          each.id === id ? { ...each, state: 'waiting', replace, exists: false } : each,
        ),
      );
    },
    retryAll(replace) {
      setList((previous) =>
        previous.map((each) =>
          each.state === 'failed' && (replace || !each.exists)
            ? { ...each, state: 'waiting', replace: each.exists === true, exists: false }
            : each,
        ),
      );
    },
    cancel(id) {
      running.current.get(id)?.abort();
      setList((previous) => previous.filter((each) => each.id !== id));
    },
    clear() {
      setList((previous) => previous.filter(({ state }) => state === 'waiting' || state === 'running'));
    },
  };
}

async function run(
  upload: Upload,
  isResumable: boolean,
  signal: AbortSignal,
  change: (id: number, fields: Partial<Upload>) => void,
): Promise<Pick<Upload, 'state' | 'fault' | 'exists'>> {
  const { id, bucket, path, file, replace } = upload;
  const uploadPath = upload.uploadPath ?? (isResumable ? recallUpload(bucket, path, file) : undefined);
  try {
    const link =
      upload.link !== undefined && uploadPath !== undefined
        ? upload.link
        : await fetchConsole('POST /storage/buckets/:bucket/upload-link', {
            params: { bucket },
            body: { path, replace },
            signal,
          });
    change(id, { link });
    await sendFile({
      bucket,
      path,
      file,
      link,
      isResumable,
      signal,
      resumeAt: uploadPath,
      onProgress: (sentBytes) => change(id, { sentBytes }),
      onUploadPath: (address) => {
        rememberUpload(bucket, path, file, address);
        change(id, { uploadPath: address });
      },
    });
    forgetUpload(bucket, path, file);
    change(id, { sentBytes: file.size });
    return { state: 'done' };
  } catch (error) {
    const isLost = error instanceof UploadFault && error.status === 0;
    const fault = isLost ? t('upload.network') : messageOf(error);
    return { state: 'failed', fault, exists: /already exists/i.test(fault) };
  }
}

/** The server discards an upload after a day. */
const lifetimeMs = 24 * 60 * 60 * 1000;
const max = 50;
const key = 'plinth-uploads';

interface StoredUpload {
  readonly name: string;
  readonly address: string;
  readonly at: number;
}

/**
 * Stores the progress of multipart uploads in this browser. After a reload, the page no longer has the file, but the
 * upload resumes if the user selects the file again. The file is recognized by its size, type and modification time,
 * which are known without reading its content.
 */
function recallUpload(bucket: string, path: string, file: File): string | undefined {
  const name = nameOf(bucket, path, file);
  return read().find((upload) => upload.name === name)?.address;
}

function rememberUpload(bucket: string, path: string, file: File, address: string): void {
  const name = nameOf(bucket, path, file);
  write(
    [{ name, address, at: Date.now() }, ...read().filter((upload) => upload.name !== name)].slice(0, max),
  );
}

function forgetUpload(bucket: string, path: string, file: File): void {
  const name = nameOf(bucket, path, file);
  write(read().filter((upload) => upload.name !== name));
}

const nameOf = (bucket: string, path: string, file: File): string =>
  JSON.stringify([bucket, path, file.size, file.type, file.lastModified]);

function read(): readonly StoredUpload[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? value.filter(isStoredUpload) : [];
  } catch {
    return [];
  }
}

function isStoredUpload(value: unknown): value is StoredUpload {
  const { name, address, at } = (value ?? {}) as Partial<StoredUpload>;
  // Only URLs with the page's own origin are accepted, because requests to these URLs contain a token.
  return (
    typeof name === 'string' &&
    typeof address === 'string' &&
    address.startsWith('/storage/v1/upload/resumable/sign/') &&
    typeof at === 'number' &&
    Date.now() - at < lifetimeMs
  );
}

function write(uploads: readonly StoredUpload[]): void {
  try {
    if (uploads.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(uploads));
  } catch {
    // If browser storage is full or disabled, interrupted uploads can be resumed only until the page is closed.
  }
}
