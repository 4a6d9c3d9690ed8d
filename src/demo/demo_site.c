/* SPDX-License-Identifier: MIT */
#include "demo/demo_site.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

const struct demo_cluster_kind demo_site_clusters[DEMO_CLUSTERS] = {
    {
        /* Old, a little less used every month; its job numbers are about to wrap. */
        .name = "alder",
        .share = 340,
        .load = 780,
        .trend_from = 1100,
        .trend_to = 900,
        .first_job = 9995000,
        .smp = "smp",
        .mpi = "mpi",
        .pools = {{"alder", 8, 0, 32 << 10}},
        .queues =
            {
                {"short.q", 0, true, false, false, HOUR},
                {"all.q", 0, false, false, false, DAY},
                {"long.q", 0, false, false, false, 10 * DAY},
            },
    },
    {
        /* The workhorse: grew past the middle of the period, and its users with it. */
        .name = "birch",
        .share = 460,
        .load = 800,
        .trend_from = 800,
        .trend_to = 1250,
        .grown_at = 560,
        .before = 640,
        .first_job = 310000,
        .smp = "smp",
        .mpi = "openmpi",
        .parts = true,
        .pools = {{"birch", 32, 0, 192 << 10}, {"birch-hm", 64, 0, 1024 << 10}},
        .queues =
            {
                {"short.q", 0, true, false, false, HOUR},
                {"mpi.q", 0, false, false, true, 4 * DAY},
                {"medium.q", 0, false, false, false, 2 * DAY},
                {"long.q", 0, false, false, false, 10 * DAY},
                {"bigmem.q", 1, false, false, false, 10 * DAY},
            },
    },
    {
        /* GPUs: everybody wants them, more every month. */
        .name = "cedar",
        .share = 200,
        .load = 780,
        .trend_from = 880,
        .trend_to = 1120,
        .first_job = 1,
        .smp = "smp",
        .mpi = "smp",
        .pools = {{"cedar-gpu", 32, 4, 512 << 10}},
        .queues =
            {
                {"interactive.q", 0, true, true, false, 12 * HOUR},
                {"gpu-short.q", 0, true, false, false, HOUR},
                {"gpu.q", 0, false, false, false, DAY},
                {"gpu-long.q", 0, false, false, false, 7 * DAY},
            },
    },
};

#define OFFICE  DEMO_RHYTHM_OFFICE
#define NIGHT   DEMO_RHYTHM_NIGHT
#define MACHINE DEMO_RHYTHM_MACHINE
#define STUDENT DEMO_RHYTHM_STUDENT

/* clang-format off */
const struct demo_habit demo_site_habits[DEMO_HABITS] = {
    {"molecular dynamics", 130, OFFICE, {250, 700, 50}, 60, 8,
     {{8, 3}, {16, 4}, {32, 3}, {64, 1}}, true, false, 5 * HOUR, 560, 955, 30, 700, 250, 2,
     {"md_prod", "npt_eq", "gmx_mdrun", "membrane", "relax", "umbrella"}},
    {"genomics", 150, OFFICE, {450, 550, 0}, 200, 14,
     {{1, 3}, {4, 4}, {8, 3}, {16, 1}}, false, false, 55 * MINUTE, 700, 640, 50, 2600, 180, 60,
     {"bwa_mem", "star_align", "samtools_sort", "gatk_hc", "fastqc", "salmon"}},
    {"training", 110, NIGHT, {0, 0, 1000}, 60, 5,
     {{1, 6}, {2, 3}, {4, 2}}, false, false, 5 * HOUR, 700, 420, 60, 5200, 200, 25,
     {"train_resnet", "finetune", "bert_large", "gan_faces", "ablation", "train"}},
    {"statistics", 130, OFFICE, {650, 350, 0}, 240, 24,
     {{1, 1}}, false, false, 35 * MINUTE, 700, 930, 25, 900, 220, 4,
     {"sim_boot", "mcmc_chain", "Rscript", "permute", "power_calc", "stan_fit"}},
    /* The one whose jobs always crash, and the one who asks for all memory there is. */
    {"crashing", 0, OFFICE, {600, 300, 100}, 120, 8,
     {{1, 4}, {4, 2}, {8, 1}}, false, false, 25 * MINUTE, 600, 500, 860, 800, 300, 5,
     {"test", "test2", "test_final", "debug", "run.sh", "try_again"}},
    {"hoarding", 0, NIGHT, {200, 800, 0}, 150, 10,
     {{1, 4}, {2, 3}, {4, 2}}, false, false, 90 * MINUTE, 600, 880, 20, 900, 2800, 3,
     {"assemble", "big_join", "matrix", "tree_full"}},
    {"fluids", 70, OFFICE, {150, 850, 0}, 20, 4,
     {{32, 4}, {64, 4}, {128, 2}, {256, 1}}, true, false, 6 * HOUR, 520, 910, 40, 1100, 200, 8,
     {"foam_run", "les_channel", "wing_a12", "mesh_refine", "cavity"}},
    {"notebooks", 70, OFFICE, {150, 250, 600}, 0, 0,
     {{1, 4}, {2, 4}, {4, 1}}, false, true, 140 * MINUTE, 500, 60, 10, 1800, 400, 6,
     {"QRLOGIN", "jupyter", "QLOGIN", "rstudio"}},
    {"pipelines", 40, MACHINE, {500, 400, 100}, 120, 12,
     {{1, 5}, {2, 3}, {4, 2}}, false, false, 14 * MINUTE, 560, 780, 15, 1200, 160, 90,
     {"nightly_reco", "etl_daily", "ingest_raw", "qc_report", "cron_sync"}},
    {"chemistry", 120, NIGHT, {450, 550, 0}, 80, 10,
     {{4, 3}, {8, 5}, {16, 4}, {32, 1}}, false, false, 5 * HOUR, 720, 965, 45, 1900, 150, 12,
     {"vasp_scf", "orca_opt", "g16_ts", "freq_calc", "neb_path", "Größe_opt"}},
    {"studying", 140, STUDENT, {700, 100, 200}, 60, 6,
     {{1, 6}, {2, 2}, {4, 2}, {8, 1}}, true, false, 8 * MINUTE, 700, 600, 170, 400, 500, 3,
     {"ex3", "hw2_mpi", "hello", "pi_monte_carlo", "übung_7", "stencil"}},
    {"climate", 40, OFFICE, {50, 950, 0}, 10, 4,
     {{64, 4}, {128, 4}, {256, 2}, {512, 1}}, true, false, 7 * HOUR, 480, 890, 35, 1300, 180, 20,
     {"cesm_run", "wrf_nest", "icon_r2b6", "modèle_océan", "post_netcdf"}},
    {"inference", 60, MACHINE, {0, 0, 1000}, 200, 12,
     {{1, 1}}, false, false, 40 * MINUTE, 640, 350, 30, 3800, 180, 40,
     {"embed_batch", "score_set", "alphafold", "segment_ct", "推論_v2"}},
    {"night analysis", 90, NIGHT, {500, 500, 0}, 120, 10,
     {{1, 3}, {2, 2}, {4, 3}, {8, 2}}, false, false, 100 * MINUTE, 700, 860, 35, 1500, 220, 15,
     {"fit_spectra", "lightcurve", "halo_finder", "unfold", "toy_mc", "skim_v7"}},
    {"visiting", 50, OFFICE, {600, 400, 0}, 120, 8,
     {{1, 3}, {4, 3}, {8, 2}, {16, 1}}, false, false, 2 * HOUR, 800, 800, 80, 1100, 260, 6,
     {"job", "run1", "a.out", "sweep", "param_scan", "Mod\xe8le_94" /* latin-1, as in 1994 */}},
};
/* clang-format on */
