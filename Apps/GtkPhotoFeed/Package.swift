// swift-tools-version: 6.2
import PackageDescription

// A package of its own, and nobody's dependency: it does not build where GTK 4 is missing, and everything else has to.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// GTK belongs to one thread, so everything here is on the main actor unless it says otherwise.
let toolkit = strict + [.defaultIsolation(MainActor.self)]

func room(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "photo-feed",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "GtkImageUI", targets: ["GtkImageUI"])
    ],
    dependencies: [
        .package(name: "swift-image-loading", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .target(
            name: "GtkImageUI",
            dependencies: ["CGtk", room("ImageCore"), room("ImageLoading"), room("ImagePresenting")],
            swiftSettings: toolkit),
        .testTarget(
            name: "GtkImageUITests",
            dependencies: [
                "GtkImageUI", "CGtk", room("ImageCore"), room("ImageLoading"), room("ImageLoadingDefaults"),
                room("ImagePresenting"), room("ImageTesting"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
