/** Configures functions to trust this server's self-signed certificate. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { replaceFile } from '../../base/kernel/replace-file.ts';

type Names = Readonly<Record<string, string | undefined>>;

/**
 * Returns the shell's variables with a DENO_CERT file that contains the server's certificate. Deno reads only one
 * certificate file, so the certificates that the shell's variables specify are added to this file.
 */
export function trustCertificate(shell: Names, ownCertificate: string): Names {
  const named = shell.DENO_CERT ?? shell.NODE_EXTRA_CA_CERTS ?? '';
  if (!existsSync(ownCertificate)) return shell;
  if (named === '' || !existsSync(named)) return { ...shell, DENO_CERT: ownCertificate };
  const text = `${readFileSync(resolve(named), 'utf8').trimEnd()}\n${readFileSync(ownCertificate, 'utf8')}`;
  const path = join(dirname(ownCertificate), 'functions.crt');
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, text);
  }
  return { ...shell, DENO_CERT: path };
}
