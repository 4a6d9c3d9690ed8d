// SPDX-License-Identifier: MIT
//
// The bar of a question: what is changed in it is asked at once, lists are searched as one types, and links, pages and commands can be
// copied. Without script it is a form with a button.

/** @param {EventTarget | null} target @returns {Element | null} */
const elementOf = target => (target instanceof Element ? target : null);

/** @param {Event} event */
function apply(event) {
    const input = elementOf(event.target);
    const form = /** @type {HTMLFormElement | null | undefined} */ (input?.closest('form[data-apply]'));
    if (!form || !(input instanceof HTMLInputElement || input instanceof HTMLSelectElement) || !input.name) {
        return;
    }
    if (input.name === 'filter') {
        const pattern = /** @type {HTMLInputElement | null} */ (form.querySelector('input[name=pattern]'));
        pattern?.focus();
        if (!pattern?.value) {
            return; // there is nothing to ask before the filter has a value
        }
    }
    form.requestSubmit();
}

// --- a list that is searched ---

/** @param {Element} picker @returns {HTMLElement[]} */
const shown = picker => [...picker.querySelectorAll('label')].filter(label => !label.hidden);

/** @param {Element} picker @param {number} index */
function near(picker, index) {
    const all = shown(picker);
    picker.querySelectorAll('.near').forEach(one => one.classList.remove('near'));
    const one = all[(index + all.length) % (all.length || 1)];
    one?.classList.add('near');
    one?.scrollIntoView({block: 'nearest'});
}

/** @param {HTMLInputElement} input */
function narrow(input) {
    const picker = input.closest('.picker');
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!picker) {
        return;
    }
    for (const group of picker.querySelectorAll('fieldset')) {
        let any = false;
        for (const label of group.querySelectorAll('label')) {
            const text = (label.textContent || '').toLowerCase();
            label.hidden = !words.every(word => text.includes(word));
            any = any || !label.hidden;
        }
        group.hidden = !any;
    }
    near(picker, 0);
}

/** @param {KeyboardEvent} event */
function steer(event) {
    const input = elementOf(event.target);
    const picker = input?.closest('.picker');
    if (event.key === 'Escape') {
        const open = /** @type {HTMLDetailsElement | null} */ (document.querySelector('details.picker[open], details.more[open]'));
        if (open) {
            open.open = false;
            open.querySelector('summary')?.focus();
        }
    } else if (picker && input?.matches('.find-in')) {
        const all = shown(picker);
        const at = all.findIndex(label => label.classList.contains('near'));
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (step) {
            event.preventDefault();
            near(picker, at + step);
        } else if (event.key === 'Enter') {
            event.preventDefault();
            all[Math.max(at, 0)]?.querySelector('input')?.click();
        }
    }
}

// --- copying ---

/** @param {string} label @param {() => string} text */
function copyButton(label, text) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn';
    button.textContent = label;
    button.addEventListener('click', async () => {
        await navigator.clipboard?.writeText(text()).catch(() => {});
        button.textContent = 'Copied';
        window.setTimeout(() => { button.textContent = label; }, 1500);
    });
    return button;
}

// The picture as PNG, from its own SVG: twice as fine as it stands on the page, on the ground of paper.
async function savePng() {
    const link = /** @type {HTMLAnchorElement | null} */ ([...document.querySelectorAll('.qbar .end a')].find(one => one.textContent === 'SVG') || null);
    const reply = link && await fetch(link.href);
    if (!reply?.ok) {
        return;
    }
    const picture = new Image();
    const url = URL.createObjectURL(new Blob([await reply.text()], {type: 'image/svg+xml'}));
    await new Promise((resolve, reject) => {
        picture.onload = resolve;
        picture.onerror = reject;
        picture.src = url;
    }).catch(() => {});
    const canvas = document.createElement('canvas');
    canvas.width = 2 * picture.naturalWidth;
    canvas.height = 2 * picture.naturalHeight;
    const pen = canvas.getContext('2d');
    if (pen && canvas.width > 0) {
        pen.fillStyle = '#fff';
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
        const made = document.createElement('a');
        made.href = canvas.toDataURL('image/png');
        made.download = 'stint.png';
        made.click();
    }
    URL.revokeObjectURL(url);
}

/** @param {string} label @param {() => void} act */
function button(label, act) {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = 'btn';
    made.textContent = label;
    made.addEventListener('click', act);
    return made;
}

export function arriveAtQuestion() {
    const end = document.querySelector('.qbar .end');
    if (end && !end.querySelector('button')) {
        end.prepend(copyButton('Copy link', () => location.href));
        if (document.querySelector('main figure svg, main svg.plot')) {
            end.append(button('PNG', savePng));
        }
        end.append(button('PDF', () => window.print()));
    }
    for (const line of document.querySelectorAll('.cmd')) {
        if (!line.querySelector('button')) {
            line.append(copyButton('Copy', () => line.querySelector('code')?.textContent || ''));
        }
    }
}

export function watchQuestion() {
    document.addEventListener('change', apply);
    document.addEventListener('keydown', steer);
    document.addEventListener('input', event => {
        const input = elementOf(event.target);
        if (input instanceof HTMLInputElement && input.matches('.find-in')) {
            narrow(input);
        }
    });
    document.addEventListener('toggle', event => {
        const details = event.target;
        if (details instanceof HTMLDetailsElement && details.open && details.matches('.picker')) {
            const input = /** @type {HTMLInputElement | null} */ (details.querySelector('.find-in'));
            input?.focus();
            near(details, shown(details).findIndex(label => label.querySelector('input')?.checked));
        }
    }, true);
    document.addEventListener('click', event => {
        for (const open of document.querySelectorAll('details.picker[open], details.more[open]')) {
            if (!open.contains(elementOf(event.target))) {
                /** @type {HTMLDetailsElement} */ (open).open = false;
            }
        }
    });
}
