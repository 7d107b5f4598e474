/** Small pictures and words of the page: bars, badges, pages of a list. */
import type { ComponentChildren } from 'preact';
import { formatNumber, formatPercent } from '../../../report/numbers.js';
import { Notice } from '../../parts/notice.js';
import type { OpenedPages } from './pages-of.js';

const BAR = { width: 100, height: 8 };

export interface BarShare {
  readonly kind: 'yes' | 'no' | 'busy' | 'rest';
  readonly value: number;
}

/** Parts of a whole, side by side. The words beside the bar say the same. */
export function Bar({ shares, whole }: { shares: readonly BarShare[]; whole: number }) {
  let from = 0;
  return (
    <svg class="bar" viewBox={`0 0 ${BAR.width} ${BAR.height}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width={BAR.width} height={BAR.height} />
      {shares.map(({ kind, value }) => {
        const width = whole > 0 ? (BAR.width * value) / whole : 0;
        from += width;
        return <rect key={kind} class={kind} x={from - width} width={width} height={BAR.height} />;
      })}
    </svg>
  );
}

/** The last values of a figure, the newest on the right. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, i) => `${(i * step).toFixed(1)},${(23 - (22 * value) / most).toFixed(1)}`);
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      {points.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}

const TONES: Readonly<Record<string, string>> = {
  done: 'good',
  added: 'good',
  delivered: 'good',
  alive: 'good',
  failed: 'bad',
  gone: 'bad',
  paused: 'bad',
};

export function Badge({ children }: { children: string }) {
  return <span class={`badge ${TONES[children] ?? 'plain'}`}>{children}</span>;
}

/** An entry of a legend. */
export function Key({ of, children }: { of: string; children: string }) {
  return (
    <span>
      <i class={of} /> {children}
    </span>
  );
}

export function Figure({ value, isBad, children }: { value: string; isBad?: boolean; children: ComponentChildren }) {
  return (
    <div class="card figure">
      <strong class={isBad ? 'no' : undefined}>{value}</strong>
      <span class="quiet">{children}</span>
    </div>
  );
}

export function Progress({ done, failed = 0, whole }: { done: number; failed?: number; whole: number }) {
  return (
    <span class="progress">
      <Bar
        shares={[
          { kind: 'yes', value: done },
          { kind: 'no', value: failed },
        ]}
        whole={whole}
      />
      <span class="number">{formatPercent(done, whole)}</span>
    </span>
  );
}

interface PagerProps {
  readonly pages: OpenedPages;
  /** The address of the next page, if there is one. */
  readonly next: string | undefined;
  readonly label: string;
}

export function Pager({ pages: { page, move }, next, label }: PagerProps) {
  if (page === 0 && next === undefined) return null;
  return (
    <nav class="pager" aria-label={label}>
      <button type="button" disabled={page === 0} onClick={() => move(-1, next)}>
        Newer
      </button>
      <span class="quiet">page {formatNumber(page + 1)}</span>
      <button type="button" disabled={next === undefined} onClick={() => move(1, next)}>
        Older
      </button>
    </nav>
  );
}

/** Told above data that are not fresh. */
export function Stale({ trouble }: { trouble: unknown }) {
  return trouble === undefined ? null : <Notice error={trouble} />;
}
