/** The mark of Edgewise, beside its name. */
export function BrandMark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect class="a" x="0" y="0" width="9" height="9" rx="2" />
      <rect class="b" x="11" y="0" width="9" height="9" rx="2" />
      <rect class="c" x="0" y="11" width="9" height="9" rx="2" />
      <rect class="a" x="11" y="11" width="9" height="9" rx="2" />
    </svg>
  );
}
