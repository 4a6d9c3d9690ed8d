// SPDX-License-Identifier: MIT
//
// Values as people read them, by unit, as the tables beside the charts have them.
const grouped = digits => new Intl.NumberFormat('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
const whole = grouped(0);
const tenths = grouped(1);
const hundredths = grouped(2);

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

export function full(value, unit) {
    return value === null || value === undefined ? '---' : (units[unit] || (v => tenths.format(v)))(value);
}
