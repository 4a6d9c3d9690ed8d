// SPDX-License-Identifier: MIT
//
// Values as people read them, by unit, as the tables beside the charts have them.
const grouped = digits => new Intl.NumberFormat('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
const whole = grouped(0);
const tenths = grouped(1);
const hundredths = grouped(2);
const short = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});

const two = n => String(n).padStart(2, '0');

function seconds(value) {
    if (Math.abs(value) < 10 && value !== Math.round(value)) {
        return `${hundredths.format(value)} s`;
    }
    const all = Math.round(Math.abs(value));
    const days = Math.floor(all / 86400);
    const clock = [Math.floor(all / 3600) % 24, Math.floor(all / 60) % 60, all % 60].map(two).join(':');
    return (value < 0 ? '-' : '') + (days ? `${days}-` : '') + clock;
}

function bytes(value) {
    const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
    let step = 0;
    while (Math.abs(value) >= 1024 && step < names.length - 1) {
        value /= 1024;
        step++;
    }
    return `${step ? tenths.format(value) : whole.format(value)} ${names[step]}`;
}

const units = {
    count: value => (Number.isInteger(value) ? whole : tenths).format(value),
    ratio: value => `${tenths.format(value * 100)} %`,
    seconds,
    bytes,
};

// full VALUE, UNIT: for a table or a tip. brief: for an axis.
export function full(value, unit) {
    return value === null || value === undefined ? '---' : (units[unit] || (v => tenths.format(v)))(value);
}

export function brief(value, unit) {
    return unit === 'ratio' ? `${whole.format(value * 100)} %` :
        unit === 'bytes' ? full(value, unit).replace('.0 ', ' ') :
        unit === 'seconds' ? full(value, unit) : short.format(value);
}

const spans = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000];
const MARKS_MAX = 6;

// step LARGEST, UNIT: between the marks of an axis from zero, so that bytes and times are round ones; undefined: tens are.
export function step(largest, unit) {
    return !(largest > 0) ? undefined :
        unit === 'bytes' ? 2 ** Math.ceil(Math.log2(largest / MARKS_MAX)) :
        unit === 'seconds' ? spans.find(span => largest / span <= MARKS_MAX) : undefined;
}
