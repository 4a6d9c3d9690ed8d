// SPDX-License-Identifier: MIT
//
// A chart in place of a picture: the same numbers (src/view/web/chart_data.h), with values under the pointer, series that can
// be switched off, names that lead on when they are clicked, and time that is narrowed by drawing over it.
import {BarChart, LineChart, PieChart} from 'echarts/charts';
import {AriaComponent, GridComponent, LegendComponent, TooltipComponent} from 'echarts/components';
import {init, use} from 'echarts/core';
import {CanvasRenderer} from 'echarts/renderers';
import {brief, full} from './format.mjs';
import {toName, toPeriod} from './narrow.mjs';

use([BarChart, LineChart, PieChart, AriaComponent, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

const DRAG_PX = 8; // what is shorter is a click
const NAMES_UPRIGHT = 12; // more of them are written beside level bars, or where each has less room than this:
const NAME_PX = 56;

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

export class Chart {
    constructor(figure, data, visit) {
        this.data = data;
        this.visit = visit;
        this.figure = figure;
        this.picture = figure.querySelector('svg');
        this.host = document.createElement('div');
        this.host.className = 'chart';
        this.host.style.height = `${Math.max(240, this.picture.getBoundingClientRect().height)}px`;
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
        this.chart.setOption(this.data.kind === 'pie' ? this.pie() : this.grid(), true);
    }

    // --- what it looks like ---

    common() {
        const named = this.data.series.length > 1 || this.data.kind === 'pie';
        return {
            animation: false,
            textStyle: {fontFamily: getComputedStyle(document.body).fontFamily, color: this.ink},
            aria: {enabled: true, decal: {show: false}},
            legend: {show: named, type: 'scroll', top: 0, left: 0, pageTextStyle: {color: this.ink}, pageIconColor: this.soft, textStyle: {color: this.ink}, inactiveColor: this.rule},
            tooltip: {
                trigger: this.data.kind === 'pie' ? 'item' : 'axis', axisPointer: {type: 'shadow'}, className: 'tip',
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
            showSymbol: categories.length <= 40 && kind === 'line',
            barMaxWidth: 64,
            cursor: this.data.explore ? 'pointer' : 'default',
            data: one.values.map((value, i) => (categories[i].partial ? {value, itemStyle: {opacity: 0.5, decal: lines ? undefined : decalOf(one)}} : value)),
        })).concat(this.data.targets.map(target => ({
            type: 'line', name: target.label || 'target', data: target.values, symbol: 'none', step: 'middle', silent: true,
            lineStyle: {color: token('wrong'), type: 'dashed', width: 1.5}, itemStyle: {color: token('wrong')},
        })));
    }

    roomOfName() {
        return Math.floor((this.host.clientWidth - 80) / this.data.categories.length) - 4;
    }

    grid() {
        const {data} = this;
        const common = this.common();
        const names = {
            type: 'category', data: data.categories.map(one => one.name || '---'), inverse: this.level,
            boundaryGap: data.kind !== 'area', axisTick: {alignWithLabel: true},
            axisLabel: data.bucket ? {color: this.soft, hideOverlap: true, formatter: withoutSeconds} :
                {color: this.soft, interval: 0, overflow: 'truncate', width: this.level ? 140 : this.roomOfName()},
            axisLine: {lineStyle: {color: this.soft}},
        };
        const values = {
            type: 'value', name: data.up, nameTextStyle: {color: this.soft, fontWeight: 600, align: this.level ? 'center' : 'left'},
            nameLocation: this.level ? 'middle' : 'end', nameGap: this.level ? 28 : 15,
            axisLabel: {color: this.soft, formatter: value => brief(value, data.unit)},
            splitLine: {lineStyle: {color: this.rule}},
        };
        return {
            ...common,
            grid: {left: 8, right: 16, top: common.legend.show ? 64 : 36, bottom: this.level ? 28 : 8, containLabel: true},
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

    // The values under the pointer, made of elements: what is written as HTML could be more than text.
    tip(event) {
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
        const category = data.categories[event.dataIndex];
        const series = data.series[event.seriesIndex];
        if (!data.explore || this.dragged || !category) {
            return;
        }
        // Of buckets the series are the first dimension; else the categories are, and the series the second.
        if (data.bucket && !data.dimensions.length) {
            this.go(toPeriod(data, event.dataIndex, event.dataIndex));
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
