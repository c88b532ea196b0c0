import type { OfferAnswer, OffersAnswer } from '../../../core/contract/clusters/offer-body.ts';
import { offersShownMax } from '../../limits.ts';
import { useResource } from '../../live/use-live.ts';
import { Link } from '../../route/navigation.tsx';
import { Ago } from '../ago.tsx';
import { FeedNotice } from '../notice.tsx';
import { ScrollBox } from '../scroll-box.tsx';

/** What an edge that takes its work by itself may take now; looking reserves nothing. */
const everyMs = 5_000;

export function OffersPanel({ path }: { path: string }) {
  const offers = useResource<OffersAnswer>(`${path}/offers?limit=${offersShownMax}`, everyMs);
  const items = offers.value?.items ?? [];
  return (
    <section class="panel" aria-labelledby="offers-title">
      <h2 id="offers-title">
        Offers <span class="soft">{offers.value?.total}</span>
      </h2>
      <FeedNotice live={offers} what="the offers" />
      {offers.value !== null && items.length === 0 && <p class="soft">Nothing is offered to it.</p>}
      {items.length > 0 && (
        <ScrollBox label="List of offers">
          <table>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">Priority</th>
                <th scope="col">Chunks</th>
                <th scope="col">Fits</th>
                <th scope="col">Command</th>
                <th scope="col">Submitted</th>
              </tr>
            </thead>
            <tbody>
              {items.map((offer) => (
                <OfferRow key={offer.id} offer={offer} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}

function OfferRow({ offer }: { offer: OfferAnswer }) {
  return (
    <tr>
      <td>
        <Link to={{ page: offer.kind, id: offer.id }}>{offer.name ?? offer.id}</Link>
      </td>
      <td>{offer.priority}</td>
      <td>
        <code class="cut">{offer.chunks ?? `jobspec of ${offer.tasks}`}</code>
      </td>
      <td>{offer.fits ? 'yes' : 'no'}</td>
      <td>
        <code class="cut">{offer.command ?? ''}</code>
      </td>
      <td class="soft">
        <Ago at={offer.submittedAt} />
      </td>
    </tr>
  );
}
