import { useState } from 'react';

type Props = { items: readonly string[]; onBuy?: () => void };

/** What is in the basket, and a button. */
export function Basket({ items, onBuy }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <section className="basket">
      <h2 onClick={() => setOpen(!open)}>{items.length} items</h2>
      {open && <ul>{items.map((item) => <li key={item}>{item}</li>)}</ul>}
      <button onClick={onBuy}>Buy *now*</button>
    </section>
  );
}
