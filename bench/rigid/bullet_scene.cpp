// Bodies of convex pieces under gravity in Bullet, for bench/rigid/compare-bullet; compiled by that script only.
// usage: bullet_scene STEP STEPS ITERATIONS MARGIN EVERY < bodies
// Input, per body: "mass friction count" and count vertices relative to its centre of mass, then the centre; mass 0: static.
// Output: every EVERY steps one line per body with the positions of its vertices; at the end "seconds S".
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

struct body {
    std::vector<btVector3> vertices;
    btRigidBody *rigid;
};

static void print(const std::vector<body> &bodies)
{
    for (const body &b : bodies) {
        for (const btVector3 &v : b.vertices) {
            btVector3 p = b.rigid->getWorldTransform() * v;
            std::printf("%.9g %.9g %.9g ", p.x(), p.y(), p.z());
        }
        std::printf("\n");
    }
}

int main(int, char **words)
{
    double step = std::atof(words[1]), margin = std::atof(words[4]);
    int steps = std::atoi(words[2]), iterations = std::atoi(words[3]), every = std::atoi(words[5]);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
    world.setGravity(btVector3(0, -9.8, 0));
    world.getSolverInfo().m_numIterations = iterations;
    std::vector<body> bodies;
    double mass, friction, x, y, z;
    int count;
    while (std::scanf("%lf %lf %d", &mass, &friction, &count) == 3) {
        body b;
        btConvexHullShape *shape = new btConvexHullShape;
        for (int i = 0; i < count; i++) {
            if (std::scanf("%lf %lf %lf", &x, &y, &z) != 3) return 1;
            b.vertices.push_back(btVector3(x, y, z));
            shape->addPoint(b.vertices.back());
        }
        if (std::scanf("%lf %lf %lf", &x, &y, &z) != 3) return 1;
        if (margin >= 0) shape->setMargin(margin);
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape->calculateLocalInertia(mass, inertia);
        btTransform start;
        start.setIdentity();
        start.setOrigin(btVector3(x, y, z));
        btRigidBody::btRigidBodyConstructionInfo info(mass, new btDefaultMotionState(start), shape, inertia);
        info.m_friction = friction;
        b.rigid = new btRigidBody(info);
        b.rigid->setActivationState(DISABLE_DEACTIVATION); // sleeping bodies would hide drift
        world.addRigidBody(b.rigid);
        bodies.push_back(b);
    }
    double seconds = 0;
    for (int i = 0; i <= steps; i++) {
        if (i % every == 0) print(bodies);
        std::clock_t begin = std::clock();
        world.stepSimulation(step, 0, step);
        seconds += (double)(std::clock() - begin) / CLOCKS_PER_SEC;
    }
    std::printf("seconds %.6g\n", seconds);
    return 0;
}
