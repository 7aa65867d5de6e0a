/** The commands that restore a backup. */
import { Copyable } from '../../../ui/copyable.tsx';
import { Card } from '../../components/card.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { ownCommand } from '../../components/own-command.ts';
import type { BackupsOverview } from './api.ts';
import { t } from './text.ts';

export function RestoreCard({ overview: { target, newestRecoverable } }: { overview: BackupsOverview }) {
  const time = (newestRecoverable ?? new Date().toISOString()).replace(/\.\d+Z$/, 'Z');
  const commands = [
    [t('backups.restore-newest'), ownCommand('restore --data-dir restored')],
    [t('backups.restore-time'), ownCommand(`restore --to-time ${time} --data-dir restored`)],
    [
      t('backups.restore-elsewhere'),
      `PLINTH_BACKUP_KEY=… ${ownCommand(`restore --from '${target}' --data-dir restored`)}`,
    ],
    [t('backups.restore-start'), ownCommand('serve --data-dir restored')],
  ] as const;
  return (
    <Card title={t('backups.restore')} text={t('backups.restore-text')}>
      <Facts layout="stacked">
        {commands.map(([label, command]) => (
          <Fact key={label} label={label}>
            <Copyable value={command} what={label} />
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}
