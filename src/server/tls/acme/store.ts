/** Stores the account key and the certificates from one ACME server in files that only the owner can read. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../base/kernel/replace-file.ts';
import type { PemPair } from '../../../base/kernel/tls.ts';
import { type KeyPair, readKeyPair } from '../core/key-pair.ts';

export interface AcmeStore {
  accountKey(): string | undefined;
  saveAccountKey(pem: string): void;
  /** Returns the domain's certificate, or undefined if no usable certificate is stored. */
  certificate(domain: string): KeyPair | undefined;
  saveCertificate(domain: string, pair: PemPair): void;
}

/**
 * Opens the store. Accounts and certificates of different servers are stored separately.
 * @param directory the URL of the ACME server's directory
 */
export function openAcmeStore(dataDir: string, directory: string): AcmeStore {
  const { host, pathname } = new URL(directory);
  const folder = `${host}${pathname}`.replace(/[^\w.-]+/g, '_');
  const dir = join(dataDir, 'tls', 'acme', folder);
  const accountPath = join(dir, 'account.key');
  const pathOf = (domain: string): string => join(dir, `${domain}.pem`);
  const write = (path: string, text: string): void => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    replaceFile(path, text);
  };
  return {
    accountKey: () => readIfThere(accountPath),
    saveAccountKey: (pem) => write(accountPath, pem),
    certificate(domain) {
      const text = readIfThere(pathOf(domain));
      try {
        return text === undefined ? undefined : readKeyPair({ cert: text, key: keyIn(text) });
      } catch {
        return undefined;
      }
    },
    // Stores the key and the certificate in the same file, so that they always match.
    saveCertificate: (domain, { cert, key }) =>
      write(pathOf(domain), `${key.trimEnd()}\n${cert.trimEnd()}\n`),
  };
}

const keyIn = (text: string): string =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/.exec(text)?.[0] ?? '';

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
