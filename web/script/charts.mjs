// SPDX-License-Identifier: MIT
//
// A chart in place of a picture: the same numbers (src/view/web/chart_data.h), with values under the pointer, series that can
// be switched off, names that lead on when they are clicked, and time that is narrowed by drawing over it.
import {BarChart, HeatmapChart, LineChart, PieChart} from 'echarts/charts';
import {AriaComponent, GridComponent, LegendComponent, TooltipComponent, VisualMapContinuousComponent} from 'echarts/components';
import {init, use} from 'echarts/core';
import {CanvasRenderer} from 'echarts/renderers';
import {brief, full, step} from './format.mjs';
import {toName, toPeriod} from './narrow.mjs';

use([BarChart, HeatmapChart, LineChart, PieChart, AriaComponent, GridComponent, LegendComponent, TooltipComponent,
    VisualMapContinuousComponent, CanvasRenderer]);

const DRAG_PX = 8; // what is shorter is a click
const NAMES_UPRIGHT = 12; // more of them are written beside level bars, or where each has less room than this:
const NAME_PX = 56;
const ROW_PX = 14; // of a heat map, so that its names can be read, and what is around them
const ROOM_PX = 70;
const HATCH_PX = 6;
const ALONE_PX = 8; // of a point without neighbours
const NAME_LONGEST = 60; // of longer ones the beginning is written; all of it stands in the table, and under the pointer
const EDGE_PX = 36; // half of the last date stands beyond the last bucket

const token = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// The patterns of the drawing module, by their names.
const stripes = rotation => ({symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [1.3, 5], rotation, color: 'rgba(255,255,255,.55)'});
const patterns = {
    rising: stripes(-Math.PI / 4),
    falling: stripes(Math.PI / 4),
    level: stripes(0),
    dots: {symbol: 'circle', symbolSize: 0.5, dashArrayX: [[4, 4], [0, 4, 4, 0]], dashArrayY: [4, 0], color: 'rgba(255,255,255,.6)'},
};
const decalOf = one => patterns[one.pattern] || {symbol: 'none'};

// An instant, "2026-11-16 01:00:00", as far as an axis needs it; other names have no such end.
const withoutSeconds = name => name.replace(/( \d\d:\d\d):\d\d$/, '$1');

const dark = () => window.matchMedia('(prefers-color-scheme: dark)').matches;

function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = className || '';
    return made;
}

// Whether nothing is recorded on either side of a value: a line has no length there, and an area no width.
const isAlone = (values, at) => values[at] != null && values[at - 1] == null && values[at + 1] == null;

export class Chart {
    constructor(figure, data, visit) {
        this.data = data;
        this.visit = visit;
        this.figure = figure;
        this.picture = figure.querySelector('svg');
        this.host = document.createElement('div');
        this.host.className = 'chart';
        const rows = data.kind === 'heat' ? data.series.length * ROW_PX + ROOM_PX : 0;
        this.host.style.height = `${Math.max(240, rows, this.picture.getBoundingClientRect().height)}px`;
        figure.append(this.host);
        figure.classList.add('drawn');
        this.level = !data.bucket && data.kind !== 'histogram' &&
            data.categories.length > Math.min(NAMES_UPRIGHT, this.host.clientWidth / NAME_PX);
        this.chart = init(this.host, null, {renderer: 'canvas'});
        this.restyle();
        this.chart.on('click', event => this.click(event));
        if (data.bucket) {
            this.watchDrag();
        }
        this.resized = new ResizeObserver(() => this.chart.resize());
        this.resized.observe(this.host);
    }

    release() {
        this.resized.disconnect();
        this.chart.dispose();
    }

    restyle() {
        this.ink = token('ink');
        this.soft = token('soft');
        this.rule = token('rule');
        const {kind} = this.data;
        this.chart.setOption(kind === 'pie' ? this.pie() : kind === 'heat' ? this.heat() : this.grid(), true);
    }

    // --- what it looks like ---

    common() {
        const {kind} = this.data;
        const named = kind !== 'heat' && (this.data.series.length > 1 || kind === 'pie');
        return {
            animation: false,
            textStyle: {fontFamily: getComputedStyle(document.body).fontFamily, color: this.ink},
            aria: {enabled: true, decal: {show: false}},
            legend: {show: named, type: 'scroll', top: 0, left: 0, pageTextStyle: {color: this.ink}, pageIconColor: this.soft, textStyle: {color: this.ink}, inactiveColor: this.rule},
            tooltip: {
                trigger: kind === 'pie' || kind === 'heat' ? 'item' : 'axis', axisPointer: {type: 'shadow'}, className: 'tip',
                confine: true, transitionDuration: 0, backgroundColor: token('paper'), borderColor: this.rule,
                textStyle: {color: this.ink}, formatter: event => this.tip(event),
            },
        };
    }

    series() {
        const {kind, series, categories} = this.data;
        const lines = kind === 'line' || kind === 'area';
        return series.map((one, at) => ({
            type: lines ? 'line' : 'bar',
            name: one.name || this.data.up || '',
            stack: kind === 'stacked' || kind === 'area' ? 'all' : undefined,
            areaStyle: kind === 'area' ? {opacity: 0.85, color: one.colour, decal: decalOf(one)} : undefined,
            color: lines && dark() ? one.dark : one.colour,
            itemStyle: {decal: lines ? undefined : decalOf(one)},
            lineStyle: {width: 2, type: at % 2 && kind === 'line' ? 'dashed' : 'solid'},
            symbol: ['circle', 'rect', 'diamond', 'triangle'][at % 4],
            showSymbol: true,
            symbolSize: (_, {dataIndex}) => (categories.length <= 40 && kind === 'line' ? 4 : isAlone(one.values, dataIndex) ? ALONE_PX : 0),
            barMaxWidth: 64,
            cursor: this.data.explore ? 'pointer' : 'default',
            data: one.values.map((value, i) => (categories[i].partial ? {value, itemStyle: {opacity: 0.5, decal: lines ? undefined : decalOf(one)}} :
                i === this.rest() ? {value, label: this.cutLabel(value)} : value)),
        })).concat(this.data.targets.map(target => ({
            type: 'line', name: target.label || 'target', data: target.values, symbol: 'none', step: 'middle', silent: true,
            lineStyle: {color: token('wrong'), type: 'dashed', width: 1.5}, itemStyle: {color: token('wrong')},
        })));
    }

    // The bar of all others together, which would leave nothing to be seen of those that have a name: it ends with the axis. -1: none.
    rest() {
        const {kind, categories} = this.data;
        const last = categories.length - 1;
        return this.level && kind !== 'stacked' && last > 0 && categories[last].others ? last : -1;
    }

    // Says how long a bar is that ends with the axis.
    cutLabel(value) {
        const beyond = value > this.largest() || value < this.least();
        return {show: beyond, position: value < 0 ? 'insideLeft' : 'insideRight', color: '#fff', formatter: `${brief(value, this.data.unit)} \u00bb`};
    }

    // The largest value that the axis has to reach.
    largest() {
        const {kind, series, targets, categories} = this.data;
        const stacked = kind === 'stacked' || kind === 'area';
        const tops = categories.map((_, at) => (at === this.rest() ? [0] : series.map(one => one.values[at] ?? 0)))
            .map(values => (stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values)));
        return Math.max(...tops, ...targets.flatMap(target => target.values.map(value => value ?? 0)));
    }

    // The least one, or 0.
    least() {
        return Math.min(0, ...this.data.series.flatMap(one => one.values.map((value, at) => (at === this.rest() ? 0 : value ?? 0))));
    }

    // Where the axis ends for those that have a name; undefined: where what is drawn ends.
    ends(apart, largest) {
        const cut = this.rest() >= 0;
        const unit = apart || 10 ** Math.floor(Math.log10(largest || 1)) / 2;
        return {
            max: apart || (cut && largest > 0) ? Math.ceil(largest / unit) * unit : undefined,
            min: cut && this.least() < 0 ? Math.floor(this.least() / unit) * unit : undefined,
        };
    }

    roomOfName() {
        return Math.floor((this.host.clientWidth - 80) / this.data.categories.length) - 4;
    }

    grid() {
        const {data} = this;
        const common = this.common();
        const largest = this.largest();
        const apart = step(largest, data.unit);
        const names = {
            type: 'category', data: data.categories.map(one => one.name || '---'), inverse: this.level,
            boundaryGap: data.kind !== 'area', axisTick: {alignWithLabel: true},
            axisLabel: data.bucket ? {color: this.soft, hideOverlap: true, formatter: withoutSeconds} :
                {color: this.soft, interval: 0, lineHeight: 13, overflow: this.level || !data.categories.some(one => / /.test(one.name)) || data.categories.some(one => one.name?.length > NAME_LONGEST) ? 'truncate' : 'break',
                    width: this.level ? Math.min(140, this.host.clientWidth / 3) : this.roomOfName()},
            axisLine: {lineStyle: {color: this.soft}},
        };
        const values = {
            type: 'value', name: data.up, interval: apart, ...this.ends(apart, largest), nameTextStyle: {color: this.soft, fontWeight: 600, align: this.level ? 'center' : 'left'},
            nameLocation: this.level ? 'middle' : 'end', nameGap: this.level ? 28 : 15,
            axisLabel: {color: this.soft, hideOverlap: true, formatter: value => brief(value, data.unit)},
            splitLine: {lineStyle: {color: this.rule}},
        };
        return {
            ...common,
            grid: {left: 8, right: data.bucket ? EDGE_PX : 16, top: common.legend.show ? 64 : 36, bottom: this.level ? 28 : 8, containLabel: true},
            xAxis: this.level ? values : names,
            yAxis: this.level ? names : values,
            series: this.series(),
        };
    }

    pie() {
        const {categories, series} = this.data;
        return {
            ...this.common(),
            series: [{
                type: 'pie', radius: ['35%', '75%'], top: 32, label: {color: this.ink},
                data: categories.map((one, at) => ({
                    name: one.name || '---', value: series[0].values[at], itemStyle: {color: one.colour, decal: decalOf(one)},
                })),
            }],
        };
    }

    // What shows where there is no cell: the hatching of what is not recorded.
    hatched() {
        const tile = document.createElement('canvas');
        tile.width = tile.height = HATCH_PX;
        const pen = tile.getContext('2d');
        pen.strokeStyle = this.soft;
        pen.globalAlpha = 0.5;
        for (const from of [-1, 0, 1]) {
            pen.moveTo(from * HATCH_PX - 1, HATCH_PX + 1);
            pen.lineTo((from + 1) * HATCH_PX + 1, -1);
        }
        pen.stroke();
        return {image: tile, repeat: 'repeat'};
    }

    heat() {
        const {data} = this;
        const cells = data.series.flatMap((one, row) => one.values.map((value, at) => [at, row, value ?? '-']));
        const largest = Math.max(...cells.map(cell => (cell[2] === '-' ? 0 : cell[2])));
        const line = {axisLine: {show: false}, axisTick: {show: false}};
        return {
            ...this.common(),
            grid: {left: 8, right: EDGE_PX, top: 40, bottom: 8, containLabel: true, show: true, borderWidth: 0, backgroundColor: this.hatched()},
            xAxis: {
                type: 'category', data: data.categories.map(one => one.name || '---'), ...line,
                axisLabel: {color: this.soft, hideOverlap: true, formatter: withoutSeconds},
            },
            yAxis: {
                type: 'category', data: data.series.map(one => one.name || '---'), inverse: true, ...line,
                axisLabel: {color: this.ink, interval: 0, overflow: 'truncate', width: Math.min(180, this.host.clientWidth / 3)},
            },
            visualMap: {
                type: 'continuous', min: 0, max: largest || 1, hoverLink: false, orient: 'horizontal', top: 0, right: EDGE_PX, itemWidth: 12, itemHeight: 120,
                text: [brief(largest, data.unit), brief(0, data.unit)], textStyle: {color: this.soft}, inRange: {color: data.ramp},
            },
            series: [{
                type: 'heatmap', name: data.up || '', data: cells, cursor: data.bucket ? 'crosshair' : 'default', itemStyle: {borderWidth: 1, borderColor: token('paper')},
                emphasis: {itemStyle: {borderColor: this.ink}},
            }],
        };
    }

    tipOfCell({value: [at, row, value]}) {
        const table = document.createElement('table');
        const line = document.createElement('tr');
        line.append(element('td', this.data.series[row].name || '---'), element('td', full(value === '-' ? null : value, this.data.unit), 'n'));
        table.append(element('caption', this.data.categories[at].name), line);
        return table;
    }

    // The values under the pointer, made of elements: what is written as HTML could be more than text.
    tip(event) {
        if (this.data.kind === 'heat') {
            return this.tipOfCell(event);
        }
        const rows = Array.isArray(event) ? event : [event];
        const table = document.createElement('table');
        const category = this.data.categories[rows[0].dataIndex];
        table.append(element('caption', (category?.name || rows[0].name) + (category?.partial ? ' (not whole)' : '')));
        const several = rows.length > 1;
        for (const row of several ? rows.slice().reverse() : rows) {
            const line = document.createElement('tr');
            line.append(element('td', several || row.seriesName ? row.seriesName : ''),
                element('td', full(typeof row.value === 'number' ? row.value : null, this.data.unit), 'n'));
            table.append(line);
        }
        return table;
    }

    // --- what it does ---

    click(event) {
        const {data} = this;
        const at = data.kind === 'heat' ? event.value[0] : event.dataIndex;
        const category = data.categories[at];
        const series = data.series[event.seriesIndex];
        if (!data.explore || this.dragged || !category) {
            return;
        }
        // Of buckets the series are the first dimension; else the categories are, and the series the second.
        if (data.bucket && !data.dimensions.length) {
            this.go(toPeriod(data, at, at));
        } else if (data.bucket) {
            this.narrow(data.dimensions[0], series);
        } else if (data.dimensions.length) {
            this.narrow(data.dimensions[0], category);
        }
    }

    narrow(dimension, one) {
        if (one && one.name && !one.others) {
            this.go(toName(this.data.explore, dimension, one.id || one.name));
        }
    }

    go(url) {
        if (url) {
            this.visit(url);
        }
    }

    indexAt(x) {
        const at = Math.round(this.chart.convertFromPixel({xAxisIndex: 0}, x));
        return Math.min(this.data.categories.length - 1, Math.max(0, at));
    }

    // Drawing over a stretch of time narrows the period to it.
    watchDrag() {
        const mark = element('div', '', 'mark');
        let begun = null;
        const place = (a, b) => {
            mark.style.left = `${Math.min(a, b)}px`;
            mark.style.width = `${Math.abs(a - b)}px`;
        };
        this.chart.getZr().on('mousedown', event => {
            begun = event.offsetX;
            this.dragged = false;
        });
        this.chart.getZr().on('mousemove', event => {
            if (begun !== null && Math.abs(event.offsetX - begun) >= DRAG_PX) {
                this.dragged = true;
                this.host.append(mark);
                place(begun, event.offsetX);
            }
        });
        this.chart.getZr().on('globalout', () => {
            begun = null;
            mark.remove();
        });
        this.chart.getZr().on('mouseup', event => {
            mark.remove();
            if (begun !== null && this.dragged) {
                const ends = [this.indexAt(begun), this.indexAt(event.offsetX)].sort((a, b) => a - b);
                this.go(toPeriod(this.data, ends[0], ends[1]));
            }
            begun = null;
        });
    }
}
