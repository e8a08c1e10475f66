// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "benchmarks", targets: ["benchmarks"])],
    dependencies: [.package(name: "swift-image-loading", path: "../..")],
    targets: [
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                room("ImageCore"), room("ImageLoading"), room("ImageLoadingDefaults"), room("ImageMemoryCaching"),
                room("ImageDiskCaching"), room("ImageCodecJPEG"),
            ],
            swiftSettings: strict)
    ],
    swiftLanguageModes: [.v6]
)
