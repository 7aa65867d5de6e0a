/**
 * Writes what AI agents and editors read in a project folder: instructions (AGENTS.md), the address of the MCP server,
 * and settings for Deno. Files that people have written are never replaced.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInGit } from '../../base/kernel/replace-file.ts';
import { mergedSettings, settingsFiles } from './core/editor-settings.ts';

export interface AgentFilesReport {
  /** The files that were created or extended. */
  readonly written: readonly string[];
  /** Advice about the files that were left alone although they lack something. */
  readonly advice: readonly string[];
}

const templatesFolder = fileURLToPath(new URL('../../../templates/', import.meta.url));

/** Returns the instructions for agents: those for the backend, and those for the app if it comes from a template. */
export const agentInstructions = (template: string | undefined): string =>
  ['shared', ...(template === undefined ? [] : [template])]
    .map((folder) => readFileSync(join(templatesFolder, folder, 'AGENTS.md'), 'utf8'))
    .join('\n');

/** The files of agents that don't read AGENTS.md, or not in all versions. They refer to AGENTS.md. */
const pointers = [
  { path: 'CLAUDE.md', text: '@AGENTS.md\n', agent: 'Claude Code' },
  {
    path: '.github/copilot-instructions.md',
    text: 'Follow the instructions in [AGENTS.md](../AGENTS.md).\n',
    agent: 'GitHub Copilot',
  },
] as const;

/** Returns a file's text, which is empty if the file is a broken symbolic link. */
const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

export function writeAgentFiles(projectDir: string, template: string | undefined): AgentFilesReport {
  const written: string[] = [];
  const advice: string[] = [];
  // A broken symbolic link also counts as a file.
  const exists = (path: string) => lstatSync(join(projectDir, path), { throwIfNoEntry: false }) !== undefined;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(projectDir, path)), { recursive: true });
    writeFileSync(join(projectDir, path), text);
    written.push(path);
  };
  if (exists('AGENTS.md')) {
    advice.push(
      "AGENTS.md already exists and wasn't changed. templates/shared/AGENTS.md in Plinth's package contains the instructions for Plinth.",
    );
  } else {
    write('AGENTS.md', agentInstructions(template));
    for (const { path, text, agent } of pointers) {
      // GitHub reads its folder only at the top of a repository.
      if (path.startsWith('.github/') && isInGit(projectDir) && !exists('.git')) continue;
      if (!exists(path)) write(path, text);
      else if (!textOf(join(projectDir, path)).includes('AGENTS.md'))
        advice.push(
          `${path} already exists and wasn't changed. To let ${agent} read AGENTS.md, add this line: ${text.trim()}`,
        );
    }
  }
  for (const file of settingsFiles) {
    const path = join(projectDir, file.path);
    try {
      const merged = mergedSettings(file, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
      if (merged !== undefined) write(file.path, merged);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
      const entries = mergedSettings(file, undefined)?.replaceAll(/\s+/g, ' ').trim();
      advice.push(`${file.path} wasn't changed (${error.message}). Add these entries to it: ${entries}`);
    }
  }
  return { written, advice };
}
