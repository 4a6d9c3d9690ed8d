// SPDX-License-Identifier: MIT
//
// The charts of a page as the server drew them (src/view/chart/chart.h), answering the pointer and the keys: values, a line across
// all charts of the same time, names that can be taken out, a stretch of time that is drawn over, names that lead on. The
// drawing stays what it is; numbers come from the figure's data (src/view/web/chart_data.h).
import {full} from './format.mjs';
import {toName, toPeriod} from './narrow.mjs';

const DRAG_PX = 8; // what is shorter is a click
const TIP_GAP_PX = 12;
const LEAP = 10; // of Page up and Page down, as a share of what there is
const ALONE_SHARE = 0.4; // of its bucket, that a band of a single value takes to either side
const ABSENT = 'not recorded';

let charts = [];

const within = (value, least, most) => Math.min(most, Math.max(least, value));
const percent = share => `${+(share * 100).toFixed(3)}%`;

function element(name, text = '', className = '') {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = className;
    return made;
}

function shape(name, className, attributes) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    made.setAttribute('class', className);
    for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, value);
    }
    return made;
}

class Chart {
    constructor(figure, visit) {
        this.figure = figure;
        this.visit = visit;
        this.data = JSON.parse(figure.dataset.chart);
        this.out = new Set(); // series that were taken out
        this.plot = figure.querySelector('.c-plot');
        if (!this.plot) { // it keeps its size, and the browser shows its tips
            figure.addEventListener('click', event => this.followMark(event));
            return;
        }
        this.svg = this.plot.querySelector('svg');
        this.count = this.data.categories.length;
        this.readBox();
        this.at = -1;
        this.row = -1; // the chosen series
        this.anchor = -1; // where a stretch of time begins
        this.watchPointer();
        this.watchKeys();
        this.watchLegend();
    }

    readBox() {
        const box = this.svg.querySelector('[data-box]');
        [this.top, this.bottom] = box.dataset.box.split(' ').map(Number);
        [this.least, this.greatest] = (box.dataset.axis || '0 1').split(' ').map(Number);
        this.lying = 'lying' in box.dataset;
        this.stacked = ['stacked', 'area'].includes(this.data.kind);
        this.lines = ['line', 'area'].includes(this.data.kind);
        this.map = this.data.kind === 'heat';
        this.narrows = Boolean(this.data.bucket && toPeriod(this.data, 0, 0));
        this.leads = Boolean(this.data.explore && (this.data.dimensions.length || this.data.bucket));
    }

    // --- where things are ---

    share(value) {
        return within((value - this.least) / (this.greatest - this.least), 0, 1);
    }

    y(value) {
        return this.bottom - this.share(value) * (this.bottom - this.top);
    }

    // Pixels from the upper left corner of the plot.
    place(event) {
        const box = this.svg.getBoundingClientRect();
        return {x: event.clientX - box.left, y: event.clientY - box.top, width: box.width};
    }

    indexAt({x, y, width}) {
        const share = this.lying ? (y - this.top) / (this.bottom - this.top) : x / width;
        return within(Math.floor(share * this.count), 0, this.count - 1);
    }

    value(series, at) {
        return this.data.series[series].values[at];
    }

    shown() {
        return this.data.series.map((_, s) => s).filter(s => !this.out.has(s));
    }

    // From where to where each value of a category reaches, series by series; null: it has none.
    spans(at) {
        let above = 0;
        let below = 0;
        return this.data.series.map((_, s) => {
            const value = this.value(s, at);
            if (value === null || this.out.has(s)) {
                return null;
            }
            const from = !this.stacked ? 0 : value < 0 ? below : above;
            if (value < 0) {
                below += value;
            } else {
                above += value;
            }
            return [from, from + value];
        });
    }

    // The series under the pointer, or -1.
    seriesAt(at, {x, y, width}) {
        const {series} = this.data;
        if (this.map) {
            const row = Math.floor((y - this.top) / (this.bottom - this.top) * series.length);
            return row >= 0 && row < series.length ? row : -1;
        }
        const share = this.lying ? x / width : (this.bottom - y) / (this.bottom - this.top);
        const value = this.least + share * (this.greatest - this.least);
        const spans = this.spans(at);
        if (this.data.kind === 'line') {
            const near = spans.map(span => (span ? Math.abs(span[1] - value) : Infinity));
            const least = Math.min(...near);
            return least < (this.greatest - this.least) / 20 ? near.indexOf(least) : -1;
        }
        const parts = this.stacked || series.length === 1 ? spans : spans.map((span, s) => (this.besideAt(at, s, {x, y, width}) ? span : null));
        return parts.findIndex(span => span && value >= Math.min(...span) && value <= Math.max(...span));
    }

    // Whether a bar that stands beside others of its category is there.
    besideAt(at, series, {x, y}) {
        const rect = this.svg.querySelector(`[data-m="${series} ${at}"] rect`);
        const box = rect?.getBoundingClientRect();
        const own = this.svg.getBoundingClientRect();
        return Boolean(box) && (this.lying ? y + own.top >= box.top && y + own.top <= box.bottom : x + own.left >= box.left && x + own.left <= box.right);
    }

    // --- what it shows ---

    show(at, row = -1, linked = false) {
        this.clear();
        this.at = at;
        this.row = row;
        const low = (at / this.count);
        const one = 1 / this.count;
        const height = this.bottom - this.top;
        const middle = percent(low + one / 2);
        this.marks = [];
        if (this.lying) {
            this.marks.push(shape('rect', 'c-hover', {x: '0', width: '100%', y: this.top + low * height, height: height * one}));
        } else if (this.map && row >= 0) {
            const rowHeight = height / this.data.series.length;
            this.marks.push(shape('rect', 'c-cell', {x: percent(low), width: percent(one), y: this.top + row * rowHeight, height: rowHeight}));
        } else if (this.lines || this.map) {
            this.marks.push(shape('line', 'c-cross', {x1: middle, x2: middle, y1: this.top, y2: this.bottom}), ...this.points(at, middle));
        } else {
            this.marks.push(shape('rect', 'c-hover', {x: percent(low), width: percent(one), y: this.top, height}));
        }
        this.svg.append(...this.marks);
        this.showTip(low + one / 2, linked);
    }

    points(at, middle) {
        return this.spans(at).map((span, s) => {
            const stroke = this.svg.querySelector(`[data-s="${s}"] path${this.data.kind === 'line' ? '[stroke]' : ''}`);
            return span && stroke && shape('circle', 'c-at', {cx: middle, cy: this.y(span[1]), r: 3.5,
                fill: stroke.getAttribute(this.data.kind === 'line' ? 'stroke' : 'fill')});
        }).filter(Boolean);
    }

    swatch(series) {
        return this.figure.querySelector(`.c-legend [data-s="${series}"] svg`)?.cloneNode(true);
    }

    rowOf(series, at) {
        const line = document.createElement('tr');
        const one = this.data.series[series];
        const name = element('td', one.name || (this.data.series.length > 1 ? '' : this.data.up || ''));
        const swatch = this.swatch(series);
        if (swatch) {
            name.prepend(swatch);
        }
        line.className = series === this.row && !this.map ? 'c-chosen' : '';
        line.append(name, element('td', this.words(one.values[at]), 'n'));
        if (one.low?.[at] != null && one.low[at] !== one.high[at]) { // it is expected
            line.append(element('td', `${this.words(one.low[at])} to ${this.words(one.high[at])}`, 'n'));
        }
        return line;
    }

    words(value) {
        return value === null ? ABSENT : full(value, this.data.unit);
    }

    // The values at a place as a table, made of elements: what is written as HTML could be more than text.
    table(at) {
        const {categories, targets} = this.data;
        const table = document.createElement('table');
        const category = categories[at];
        const rows = this.map && this.row >= 0 ? [this.row] : this.shown();
        table.append(element('caption', `${category.name || '---'}${category.partial ? ' (not whole)' : ''}`));
        table.append(...(this.stacked ? rows.slice().reverse() : rows).map(s => this.rowOf(s, at)));
        const known = rows.filter(s => this.value(s, at) !== null);
        if (this.stacked && known.length > 0 && rows.length > 1) {
            const sum = document.createElement('tr');
            sum.className = 'c-sum';
            sum.append(element('td', known.length < rows.length ? 'at least' : 'all'),
                element('td', full(known.reduce((all, s) => all + this.value(s, at), 0), this.data.unit), 'n'));
            table.append(sum);
        }
        for (const target of targets.filter(one => one.values[at] !== null)) {
            const line = document.createElement('tr');
            line.append(element('td', target.label || 'target'), element('td', full(target.values[at], this.data.unit), 'n'));
            table.append(line);
        }
        return table;
    }

    showTip(share, linked) {
        const tip = element('div', '', 'c-tip');
        const box = this.plot.getBoundingClientRect();
        const own = this.svg.getBoundingClientRect();
        const x = own.left - box.left + share * own.width;
        tip.append(this.table(this.at));
        this.plot.append(tip);
        this.tip = tip;
        if (this.lying) {
            tip.style.right = '0';
            tip.style.top = `${this.top + (this.at + 1) / this.count * (this.bottom - this.top) + 4}px`;
        } else if (x > box.width / 2) {
            tip.style.right = `${box.width - x + TIP_GAP_PX}px`;
        } else {
            tip.style.left = `${x + TIP_GAP_PX}px`;
        }
        tip.classList.toggle('c-linked', linked);
    }

    clear() {
        for (const mark of this.marks || []) {
            mark.remove();
        }
        this.tip?.remove();
        this.marks = [];
        this.tip = null;
        this.at = this.row = -1;
    }

    // The same time on all charts of the page.
    showEverywhere(at, row) {
        this.show(at, row);
        const {name} = this.data.categories[at];
        for (const other of charts) {
            if (other !== this && other.plot && other.data.bucket && other.data.bucket === this.data.bucket) {
                const there = other.data.categories.findIndex(category => category.name === name);
                if (there < 0) {
                    other.clear();
                } else {
                    other.show(there, -1, true);
                }
            }
        }
    }

    clearEverywhere() {
        for (const other of charts) {
            other.clear();
        }
    }

    showBrush(first, last) {
        this.brush?.remove();
        this.brush = shape('rect', 'c-brush', {x: percent(first / this.count), width: percent((last - first + 1) / this.count),
            y: this.top, height: this.bottom - this.top});
        this.svg.append(this.brush);
    }

    clearBrush() {
        this.brush?.remove();
        this.brush = null;
        this.anchor = -1;
    }

    // --- the pointer ---

    watchPointer() {
        const {plot} = this;
        let begun = null;
        plot.classList.add('c-live');
        plot.classList.toggle('c-leads', this.leads);
        plot.classList.toggle('c-time', this.narrows);
        plot.addEventListener('pointerdown', event => {
            if (event.button === 0 && event.pointerType !== 'touch') {
                begun = {x: event.clientX, at: this.indexAt(this.place(event)), dragged: false};
                plot.setPointerCapture(event.pointerId);
            }
        });
        plot.addEventListener('pointermove', event => {
            const place = this.place(event);
            const at = this.indexAt(place);
            if (begun && this.narrows && (begun.dragged || Math.abs(event.clientX - begun.x) >= DRAG_PX)) {
                begun.dragged = true;
                this.showBrush(Math.min(begun.at, at), Math.max(begun.at, at));
            }
            const row = this.seriesAt(at, place);
            if (at !== this.at || row !== this.row) {
                this.showEverywhere(at, row);
            }
        });
        plot.addEventListener('pointerup', event => {
            const from = begun;
            begun = null;
            if (!from) {
                return;
            }
            const place = this.place(event);
            const at = this.indexAt(place);
            this.clearBrush();
            if (from.dragged) {
                this.go(toPeriod(this.data, Math.min(from.at, at), Math.max(from.at, at)));
            } else {
                this.follow(at, this.seriesAt(at, place));
            }
        });
        plot.addEventListener('pointercancel', () => {
            begun = null;
            this.clearBrush();
        });
        plot.addEventListener('pointerleave', () => this.clearEverywhere());
    }

    // --- the keys ---

    watchKeys() {
        const {plot} = this;
        plot.tabIndex = 0;
        plot.setAttribute('role', 'group');
        plot.setAttribute('aria-label', `${this.svg.getAttribute('aria-label')}: arrow keys tell the values`);
        this.said = element('div', '', 'c-said');
        this.said.setAttribute('aria-live', 'polite');
        this.figure.append(this.said);
        plot.addEventListener('keydown', event => {
            if (!event.ctrlKey && !event.metaKey && !event.altKey && this.key(event)) {
                event.preventDefault();
                event.stopPropagation();
            }
        });
        plot.addEventListener('blur', () => {
            this.clearBrush();
            this.clearEverywhere();
        });
    }

    // Returns whether the key was for the chart.
    key({key, shiftKey}) {
        const leap = Math.max(1, Math.round(this.count / LEAP));
        const [back, forth, less, more] = this.lying ? ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'] : ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
        const steps = {[back]: -1, [forth]: 1, PageUp: -leap, PageDown: leap, Home: -this.count, End: this.count};
        if (key in steps) {
            this.step(steps[key], shiftKey);
            return true;
        }
        if ((key === less || key === more) && this.at >= 0 && this.data.series.length > 1) {
            this.choose(key === less ? -1 : 1);
            return true;
        }
        if (key === 'Enter' && this.at >= 0) {
            this.enter();
            return true;
        }
        if (key === 'Escape' && this.at >= 0) {
            this.clearBrush();
            this.clearEverywhere();
            return true;
        }
        return false;
    }

    step(by, extend) {
        const from = this.at < 0 ? (by < 0 ? this.count : -1) : this.at;
        const row = this.row;
        const at = within(from + by, 0, this.count - 1);
        if (extend && this.narrows) {
            this.anchor = this.anchor < 0 ? within(from, 0, this.count - 1) : this.anchor;
            this.showBrush(Math.min(this.anchor, at), Math.max(this.anchor, at));
        } else {
            this.clearBrush();
        }
        this.showEverywhere(at, row);
        this.say();
    }

    choose(by) {
        const shown = this.shown();
        const order = this.stacked ? shown.reverse() : shown;
        const place = order.indexOf(this.row);
        const row = order[within(place < 0 ? (by > 0 ? 0 : order.length - 1) : place + by, 0, order.length - 1)];
        this.showEverywhere(this.at, row);
        this.say();
    }

    enter() {
        if (this.anchor >= 0) {
            const ends = [this.anchor, this.at].sort((a, b) => a - b);
            this.go(toPeriod(this.data, ends[0], ends[1]));
            return;
        }
        this.follow(this.at, this.row);
    }

    // What a screen reader says: where it is, and the chosen value or all of them.
    say() {
        const category = this.data.categories[this.at];
        const rows = this.row >= 0 ? [this.row] : this.shown();
        const values = rows.map(s => `${this.data.series[s].name || ''} ${this.words(this.value(s, this.at))}`.trim());
        this.said.textContent = `${category.name}${category.partial ? ', not whole' : ''}: ${values.join(', ')}`;
    }

    // --- where it leads ---

    followMark(event) {
        const mark = event.target.closest('[data-m]');
        if (mark) {
            const [series, at] = mark.dataset.m.split(' ').map(Number);
            this.follow(at, series);
        }
    }

    // Of buckets the series are the first dimension; else the categories are, and the series the second.
    follow(at, series) {
        const {data} = this;
        const named = data.bucket ? data.series[series] : data.categories[at];
        if (!data.explore) {
            return;
        }
        if (data.dimensions.length && named?.name && !named.others) {
            this.go(toName(data.explore, data.dimensions[0], named.id || named.name));
        } else if (data.bucket && (series < 0 || !data.dimensions.length)) {
            this.go(toPeriod(data, at, at));
        }
    }

    go(url) {
        if (url) {
            this.visit(url);
        }
    }

    // --- names that are taken out ---

    watchLegend() {
        for (const entry of this.figure.querySelectorAll('.c-legend [data-s]')) {
            const button = document.createElement('button');
            const series = Number(entry.dataset.s);
            button.type = 'button';
            button.setAttribute('aria-pressed', 'true');
            button.append(...entry.childNodes);
            entry.append(button);
            button.addEventListener('click', () => {
                if (this.out.has(series)) {
                    this.out.delete(series);
                } else {
                    this.out.add(series);
                }
                button.setAttribute('aria-pressed', String(!this.out.has(series)));
                this.redraw();
            });
        }
    }

    // The same marks without those that are out, on the same axis.
    redraw() {
        this.clearEverywhere();
        this.figure.classList.toggle('c-moved', this.out.size > 0);
        for (const group of this.svg.querySelectorAll('[data-s]')) {
            group.classList.toggle('c-out', this.out.has(Number(group.dataset.s)));
        }
        for (const mark of this.svg.querySelectorAll('[data-m]')) {
            mark.classList.toggle('c-out', this.out.has(Number(mark.dataset.m.split(' ')[0])));
        }
        if (this.data.kind === 'stacked') {
            this.restackBars();
        } else if (this.data.kind === 'area') {
            this.restackBands();
        }
    }

    restackBars() {
        const spans = this.data.categories.map((_, at) => this.spans(at));
        for (const mark of this.svg.querySelectorAll('[data-m]')) {
            const [series, at] = mark.dataset.m.split(' ').map(Number);
            const rect = mark.querySelector('rect');
            const span = spans[at][series];
            if (!span) {
                continue;
            }
            const ends = span.slice().sort((a, b) => a - b);
            if (this.lying) {
                rect.setAttribute('x', percent(this.share(ends[0])));
                rect.setAttribute('width', percent(this.share(ends[1]) - this.share(ends[0])));
            } else {
                rect.setAttribute('y', this.y(ends[1]));
                rect.setAttribute('height', this.y(ends[0]) - this.y(ends[1]));
            }
        }
    }

    restackBands() {
        const spans = this.data.categories.map((_, at) => this.spans(at));
        for (const group of this.svg.querySelectorAll('[data-s]')) {
            const series = Number(group.dataset.s);
            const paths = [...group.querySelectorAll('path')];
            const [left, , width] = group.querySelector('svg').getAttribute('viewBox').split(' ').map(Number);
            const ends = spans.map(all => all[series]);
            paths.forEach((path, i) => path.setAttribute('d', i ? '' : this.band(ends, left, width)));
        }
    }

    // The outline of a band, a stretch of neighbours after the other.
    band(ends, left, width) {
        const slot = width / this.count;
        const x = at => left + slot * (at + 0.5);
        let path = '';
        for (let from = 0; from < ends.length; from++) {
            let to = from;
            while (ends[from] && ends[to + 1]) {
                to++;
            }
            if (ends[from]) {
                const more = from === to ? slot * ALONE_SHARE : 0;
                const upper = [];
                const lower = [];
                for (let at = from; at <= to; at++) {
                    upper.push(`${x(at) + more} ${this.y(ends[at][1])}`);
                    lower.unshift(`${x(at) + more} ${this.y(ends[at][0])}`);
                }
                if (more) {
                    upper.unshift(`${x(from) - more} ${this.y(ends[from][1])}`);
                    lower.push(`${x(from) - more} ${this.y(ends[from][0])}`);
                }
                path += `M${upper.concat(lower).join('L')}Z`;
            }
            from = to;
        }
        return path;
    }
}

// watchCharts ROOT, VISIT: all that are below it; those of a page that went away are forgotten.
export function watchCharts(root, visit) {
    charts = charts.filter(chart => chart.figure.isConnected);
    for (const figure of root.querySelectorAll('figure[data-chart]')) {
        if (!charts.some(chart => chart.figure === figure)) {
            charts.push(new Chart(figure, visit));
        }
    }
}
