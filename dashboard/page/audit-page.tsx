import { useMemo } from 'preact/hooks';
import type { AuditEvent } from '../../core/contract/resources.ts';
import { Ago } from '../component/ago.tsx';
import { ManagementTabs } from '../component/management-tabs.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { WindowList } from '../component/window-list.tsx';
import { listedAuditMax } from '../limits.ts';
import { useCollection } from '../live/use-live.ts';
import {
  actionWords,
  auditPath,
  auditSpans,
  auditTarget,
  findAudit,
} from '../model/management/audit-rows.ts';
import { go, Link } from '../route/navigation.tsx';
import type { AuditFilter } from '../route/route.ts';

/** Who changed what, and when: newest first, as far back as somebody asks for. */
const everyMs = 5_000;
const columns = ['What', 'Of', 'Who', 'When', 'Request'];

export function AuditPage({ filter }: { filter: AuditFilter }) {
  const path = useMemo(() => auditPath(filter, Date.now()), [filter.span]);
  const trail = useCollection<AuditEvent>(path, everyMs, listedAuditMax);
  const all = trail.value?.items;
  const shown = useMemo(() => findAudit(all ?? [], filter.q), [all, filter.q]);
  const set = (change: Partial<AuditFilter>) =>
    go({ page: 'audit', filter: { ...filter, ...change } }, 'replace');
  return (
    <section class="panel jobs" aria-labelledby="audit-title">
      <div class="panel-head">
        <h1 id="audit-title">
          {all === undefined
            ? 'Changes'
            : shown.length === 1
              ? '1 change'
              : `${shown.length} changes`}
          {trail.value?.more && <span class="soft"> and more</span>}
        </h1>
        <ManagementTabs at="audit" />
      </div>
      <div class="tools audit-tools">
        <input
          type="search"
          aria-label="Find changes by who, what or request"
          placeholder="who, what or request"
          value={filter.q}
          onInput={(event) => set({ q: event.currentTarget.value })}
        />
        <select
          aria-label="How far back"
          value={filter.span}
          onChange={(event) => set({ span: event.currentTarget.value })}
        >
          {auditSpans.map(([key, words]) => (
            <option key={key} value={key}>
              the last {words}
            </option>
          ))}
        </select>
      </div>
      <FeedNotice live={trail} what="changes" />
      {all !== undefined && shown.length === 0 && (
        <Empty
          title={all.length === 0 ? 'Nothing was changed in this time.' : 'No change matches.'}
        />
      )}
      {shown.length > 0 && (
        <WindowList
          items={shown}
          label="Changes"
          columns={columns}
          className="audit-table"
          narrowPx={60}
          keyOf={({ at, requestId, action, target }) => `${at} ${requestId} ${action} ${target}`}
          cells={auditCells}
        />
      )}
    </section>
  );
}

function auditCells(event: AuditEvent) {
  const { at, by, action, target, requestId } = event;
  const to = auditTarget(event);
  return (
    <>
      <td class="main-cell" title={action}>
        {actionWords(action)}
      </td>
      <td>{to === null ? target : <Link to={to}>{target}</Link>}</td>
      <td class="soft" title={by}>
        {by}
      </td>
      <td class="soft">
        <Ago at={at} />
      </td>
      <td class="soft" title={requestId}>
        <code>{requestId}</code>
      </td>
    </>
  );
}
