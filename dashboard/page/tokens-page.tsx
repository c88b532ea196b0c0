import { useState } from 'preact/hooks';
import type { Token } from '../../core/contract/resources.ts';
import { Ago } from '../component/ago.tsx';
import { ConfirmDialog } from '../component/confirm-dialog.tsx';
import { ManagementTabs } from '../component/management-tabs.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { NewSecret } from '../component/token/new-secret.tsx';
import { TokenForm } from '../component/token/token-form.tsx';
import { WindowList } from '../component/window-list.tsx';
import { listedTokensMax } from '../limits.ts';
import { useClient, useCollection } from '../live/use-live.ts';
import { limitsOf } from '../model/token-fields.ts';
import { clockWords } from '../model/words.ts';

/**
 * Who may do what: the tokens without their secrets, a new one with its secret once, and the end of
 * one.
 */
const everyMs = 3_000;
const columns = ['Token', 'Expires', 'Scopes', 'Limited to', 'Made', 'Action'];

export function TokensPage() {
  const tokens = useCollection<Token>('/v1/tokens', everyMs, listedTokensMax);
  const [made, setMade] = useState<Token | null>(null);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const items = tokens.value?.items ?? [];
  const keep = (token: Token) => {
    setMade(token);
    tokens.refresh();
  };
  return (
    <div class="submit">
      <section class="panel" aria-labelledby="tokens-title">
        <div class="panel-head">
          <h1 id="tokens-title">{items.length === 1 ? '1 token' : `${items.length} tokens`}</h1>
          <ManagementTabs at="tokens" />
        </div>
        <FeedNotice live={tokens} what="tokens" />
        {tokens.value !== null && items.length === 0 && (
          <Empty title="No tokens yet.">
            <p>The token that came with the stack is not listed: it is the stack’s own.</p>
          </Empty>
        )}
        {items.length > 0 && (
          <WindowList
            items={items}
            label="Tokens"
            columns={columns}
            className="token-table"
            keyOf={(token) => token.id}
            cells={(token) => <TokenCells token={token} onRevoke={() => setRevoking(token)} />}
          />
        )}
      </section>
      <div class="submit-side">
        {made !== null && <NewSecret token={made} onClose={() => setMade(null)} />}
        <TokenForm onMade={keep} />
      </div>
      {revoking !== null && (
        <RevokeQuestion
          token={revoking}
          onClose={() => setRevoking(null)}
          onRevoked={tokens.refresh}
        />
      )}
    </div>
  );
}

function TokenCells({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { name, id, scopes, createdAt, createdBy, expiresAt } = token;
  return (
    <>
      <td class="main-cell" title={id}>
        {name}
        <code class="soft">{id}</code>
      </td>
      <td class="soft" title={clockWords(expiresAt)}>
        {expiresAt === null ? 'never' : clockWords(expiresAt)}
      </td>
      <td title={scopes.join(' ')}>{scopes.join(' ')}</td>
      <td class="soft">{limitsOf(token)}</td>
      <td class="soft" title={`by ${createdBy}`}>
        <Ago at={createdAt} />
      </td>
      <td>
        <button type="button" class="danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
          Revoke
        </button>
      </td>
    </>
  );
}

function RevokeQuestion(props: { token: Token; onClose: () => void; onRevoked: () => void }) {
  const { token, onClose, onRevoked } = props;
  const client = useClient();
  const confirm = async () => {
    const answer = await client.send('DELETE', `/v1/tokens/${encodeURIComponent(token.id)}`);
    onRevoked();
    return answer.ok ? null : answer.problem;
  };
  return (
    <ConfirmDialog
      title={`Revoke ${token.name}?`}
      confirm="Revoke"
      danger
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>Whoever uses it is refused at once. It cannot be taken back.</p>
    </ConfirmDialog>
  );
}
