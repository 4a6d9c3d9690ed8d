// SPDX-License-Identifier: MIT
//
// Pictures that carry their numbers are drawn again as charts that can be touched, once they come into view.
import {visit} from './navigation.mjs';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
let charts = new Map();

async function draw(figure) {
    const {Chart} = await import('./charts.js');
    if (figure.isConnected && !charts.has(figure)) {
        charts.set(figure, new Chart(figure, JSON.parse(figure.dataset.chart), visit));
    }
}

const seen = new IntersectionObserver(entries => {
    for (const entry of entries.filter(one => one.isIntersecting)) {
        seen.unobserve(entry.target);
        draw(entry.target);
    }
}, {rootMargin: '200px'});

export function watchFigures(root) {
    for (const chart of charts.values()) {
        chart.release();
    }
    charts = new Map();
    seen.disconnect();
    for (const figure of root.querySelectorAll('figure[data-chart]')) {
        seen.observe(figure);
    }
}

dark.addEventListener('change', () => {
    for (const chart of charts.values()) {
        chart.restyle();
    }
});
