/** The context menu of a column's header. */
import { t } from '../rows-text.ts';
import { ContextMenu, type MenuItem, type MenuPlace } from './cells/context-menu.tsx';
import { withHidden, withMoved, withPinned, withWidth } from './columns.ts';
import { copyText } from './copy-text.ts';
import type { DataGridProps } from './use-data-grid.ts';

export default function HeadMenu({
  grid,
  place,
  column: number,
  onClose,
}: {
  grid: DataGridProps;
  place: MenuPlace;
  column: number;
  onClose: () => void;
}) {
  const { columns, layout, onLayout, view, onSortBy, onNote, relation } = grid;
  const column = columns[number - 1];
  if (column === undefined) return null;
  const { name, isPinned } = column;
  const sorted = view.sort.find((each) => each.column === name);
  const place_ = (step: number): MenuItem[] => {
    const target = columns[number - 1 + step];
    if (target === undefined || target.isPinned !== isPinned) return [];
    return [
      {
        label: t(step < 0 ? 'head.left' : 'head.right'),
        shortcut: step < 0 ? 'Ctrl Shift ←' : 'Ctrl Shift →',
        onChoose: () => onLayout(withMoved(layout, relation.columns, name, target.name)),
      },
    ];
  };
  const hasWidth = layout.widths.some(([each]) => each === name);
  return (
    <ContextMenu
      label={t('head.menu', { column: name })}
      place={place}
      sections={[
        [
          { label: t('head.ascending'), onChoose: () => onSortBy([{ column: name, ascending: true }]) },
          { label: t('head.descending'), onChoose: () => onSortBy([{ column: name, ascending: false }]) },
          ...(sorted === undefined ? [] : [{ label: t('head.unsorted'), onChoose: () => onSortBy([]) }]),
        ],
        [
          {
            label: t(isPinned ? 'head.unpin' : 'head.pin'),
            onChoose: () => onLayout(withPinned(layout, columns, name, !isPinned)),
          },
          ...place_(-1),
          ...place_(1),
          {
            label: t('head.wider'),
            shortcut: 'Shift →',
            onChoose: () => onLayout(withWidth(layout, name, column.width + 80)),
          },
          {
            label: t('head.narrower'),
            shortcut: 'Shift ←',
            onChoose: () => onLayout(withWidth(layout, name, column.width - 80)),
          },
          ...(hasWidth
            ? [{ label: t('head.width'), onChoose: () => onLayout(withWidth(layout, name, undefined)) }]
            : []),
          ...(columns.length === 1
            ? []
            : [{ label: t('head.hide'), onChoose: () => onLayout(withHidden(layout, name, true)) }]),
        ],
        [
          {
            label: t('head.copy'),
            onChoose: () => copyText(Promise.resolve(name), t('head.copied'), onNote),
          },
        ],
      ]}
      onClose={onClose}
    />
  );
}
